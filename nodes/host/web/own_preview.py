"""Makes a picture that ComfyUI drew the preview of a model: `<model>.preview.png` beside its file.

ComfyUI's file lists and other packs show such a file too.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import folder_paths
from PIL.PngImagePlugin import PngInfo

from ....atomic_write import write_whole
from ....checkin import Card
from ....checkin.index.folders import without_ending
from ....checkin.lexicon.sentences import say
from ....checkin.lexicon.text import printable
from ....checkin.readers.pictures import MAX_PIXELS, UnusablePicture, opened
from ....checkin.readers.published import MAX_PROMPT_BYTES
from ....checkin.readers.text import shorten
from .cards_api import file_of

ENDING = ".preview.png"
_DRAWN = ("output", "temp")
"""The host's folders that hold drawn pictures."""
_NAMES = {"filename", "subfolder", "type"}


def keep_preview(card: Card, body: Mapping[str, Any]) -> dict[str, str]:
    """Write a drawn picture as the preview of a model; {asks: sentence} if it has a picture already
    and `replace` is not true, and then nothing is written.

    `body`: picture, as for the host's /view; prompt, which is written into the picture as A1111
    does; replace. Raises ValueError with a sentence where that cannot be.
    """
    picture, prompt, replace = (body.get(name) for name in ("picture", "prompt", "replace"))
    if not (isinstance(picture, dict) and isinstance(prompt, str) and isinstance(replace, bool)):
        raise ValueError("Expected picture, prompt and replace.")
    drawn = _drawn(picture)
    place = Path(file_of(card))
    target = place.with_name(without_ending(place.name) + ENDING)
    if card.sources.get("previews") == "sidecar":
        raise ValueError(
            say(
                "The card of {model} names its pictures itself: change `previews` in its sidecar.",
                model=card.name,
            )
        )
    if target.exists() and not replace:
        said = say("{file} is there already. Put the new picture in its place?", file=target.name)
        return {"asks": said}
    if card.previews and not replace:
        said = say("{model} has a picture already. Show the new one instead?", model=card.name)
        return {"asks": said}
    write_whole(target, _png(drawn, prompt))
    return {}


def _drawn(picture: Mapping[str, Any]) -> str:
    """The path of a picture in the folders of drawn ones. Raises ValueError for any other."""
    if set(picture) != _NAMES or not all(isinstance(one, str) for one in picture.values()):
        raise ValueError("A picture has filename, subfolder and type.")
    folder = folder_paths.get_directory_by_type(picture["type"])
    if picture["type"] not in _DRAWN or "\0" in picture["filename"] + picture["subfolder"]:
        raise ValueError("This is no drawn picture.")
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, picture["subfolder"], picture["filename"]))
    if os.path.commonpath((root, path)) != root or not os.path.isfile(path):
        raise ValueError(say("The picture is not there any more: run again."))
    return path


def _png(path: str, prompt: str) -> bytes:
    """A picture as PNG, of whose metadata only the prompt is left."""
    said, written = PngInfo(), io.BytesIO()
    text = shorten(printable(prompt), MAX_PROMPT_BYTES)
    if text:
        said.add_itxt("parameters", text)
    try:
        with opened(path) as picture:
            picture.convert("RGB").save(written, "PNG", pnginfo=said)
    except UnusablePicture:
        raise ValueError(
            say(
                "This picture is too large: make it smaller. A PNG may have {number} million "
                "pixels.",
                number=MAX_PIXELS["PNG"] // 1_000_000,
            )
        ) from None
    except Exception:  # decoders raise all kinds of errors for what is no picture
        raise ValueError(
            say("This picture cannot be read: save it as PNG, JPEG or WebP.")
        ) from None
    return written.getvalue()
