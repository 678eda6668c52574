"""The pictures and videos of a model: files next to it, and pictures in its own header."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ..lexicon.sentences import say
from .header import UnreadableFile, read_header
from .model_file import Fields, ModelFile, Report
from .reader import Reader

PICTURES = ("png", "jpg", "jpeg", "webp", "gif", "avif")
"""The endings of pictures that can be shown.

Tools also write .jxl previews, which the available libraries cannot open.
"""
VIDEOS = ("mp4", "webm")
"""The endings of videos, of which the first frame is shown."""
ENDINGS = tuple(
    f"{mark}.{ending}"
    for endings in (PICTURES, VIDEOS)
    for mark in (".preview", "", ".thumb", ".example.0", ".example")
    for ending in endings
)
"""The end of a preview's name, after the model's name without its ending; best first."""
HEADER_KEYS = ("modelspec.thumbnail", "ssmd_cover_images")
MAX_PREVIEW_BYTES = 8 * 1024 * 1024
"""Characters of base64."""


def is_video(preview: str) -> bool:
    """Whether a preview is a video, by its name."""
    return preview.rpartition(".")[2].casefold() in VIDEOS


def named_previews(folder: Path, names: object, report: Report) -> list[str]:
    """Paths of the pictures that a sidecar in `folder` names.

    They must be in the folder or below it: a downloaded sidecar must not make us show other
    pictures on the machine.
    """
    found = []
    for name in map(str, names if isinstance(names, list) else [names]):
        inside = PurePosixPath(name.replace("\\", "/"))
        if (
            inside.is_absolute()
            or ".." in inside.parts
            or ":" in name
            or "\0" in name
            or (os.path.isfile(folder / inside) and not _stays(folder, inside))
        ):
            report(
                say(
                    "preview {name} not used: name a picture in the model's folder or below",
                    name=repr(name[:80]),
                )
            )
        elif not os.path.isfile(folder / inside):  # Path.is_file raises for a name that is too long
            report(say("preview {name} is not there", name=repr(name[:80])))
        else:
            found.append(str(folder / inside))
    return found


def _stays(folder: Path, inside: PurePosixPath) -> bool:
    """Whether a picture is in the folder, also where links on the way are followed."""
    root = os.path.join(os.path.realpath(folder), "")
    return os.path.realpath(folder / inside).startswith(root)


def read_in_header(model: ModelFile, report: Report) -> Fields:
    """A reference to each picture in the header: "<path of the model>#<key>".

    `picture_in_header` reads it.
    """
    found = (key for key in HEADER_KEYS if _base64_in(model.header.metadata, key))
    return {"previews": [f"{model.path}#{key}" for key in found]}


def picture_in_header(reference: str) -> bytes | None:
    """The bytes of the picture that a reference of `read_in_header` names, or None.

    The bytes are not checked.
    """
    path, _, key = reference.rpartition("#")
    if key not in HEADER_KEYS:
        return None
    try:
        return base64.b64decode(_base64_in(read_header(Path(path)).metadata, key) or "") or None
    except (UnreadableFile, OSError, ValueError):  # gone, changed, or not base64
        return None


def _base64_in(metadata: Mapping[str, str], key: str) -> str | None:
    """The base64 text of one picture, or None.

    It is in a `data:image/...` URL, or is the first of a JSON list of plain base64.
    """
    value = metadata.get(key, "")
    if len(value) > MAX_PREVIEW_BYTES:
        return None
    if key == "modelspec.thumbnail":
        kind, _, data = value.partition(";base64,")
        return data if kind.startswith("data:image/") else None
    try:
        pictures = json.loads(value or "[]")
    except (ValueError, RecursionError):
        return None
    first = pictures[0] if isinstance(pictures, list) and pictures else None
    return first if isinstance(first, str) else None


READERS = (Reader("header_pictures", "safetensors", read_in_header, {"previews": 30}),)
