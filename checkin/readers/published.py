"""What sidecars with Civitai's data say about a model's page and its example pictures.

It is read when a person looks at one card, and is no part of the index.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..lexicon.text import printable
from .civitai_info import ENDING as CIVITAI_INFO
from .header import UnreadableFile
from .json_file import member, objects, read_object
from .links import leads_out
from .lora_manager import ENDING as LORA_MANAGER
from .rgthree import ENDINGS as RGTHREE
from .text import shorten

MAX_EXAMPLES = 8
MAX_PROMPT_BYTES = 2000
_PAGE = "https://civitai.com/models/{}"


@dataclass(frozen=True)
class Example:
    """One example picture."""

    prompt: str
    picture: str | None = None
    """Its address on the site; it is never fetched, only linked."""


@dataclass(frozen=True)
class Published:
    """What is known of a model's page."""

    page: str | None = None
    examples: tuple[Example, ...] = ()


def published(model: str | os.PathLike[str], folders: Collection[str] = ()) -> Published:
    """What the sidecars of a model file say; those that cannot be read say nothing.

    Nor do links that lead neither into the model's folder nor below one of `folders`.
    """
    stem = os.path.splitext(os.fspath(model))[0]
    page: str | None = None
    examples: dict[str, Example] = {}
    for ending in (LORA_MANAGER, CIVITAI_INFO, *RGTHREE):
        if not os.path.isfile(stem + ending) or leads_out(stem + ending, folders):
            continue
        try:
            version, pictures = _parts(read_object(Path(stem + ending)), ending)
        except (OSError, UnreadableFile):
            continue
        page = page or _page(version)
        for one in filter(None, map(_example, objects(pictures))):
            examples.setdefault(one.prompt, one)
    return Published(page, tuple(examples.values())[:MAX_EXAMPLES])


def _parts(data: dict[str, Any], ending: str) -> tuple[Any, Any]:
    """The model version object, and the pictures, in one of the three kinds of sidecars."""
    if ending == CIVITAI_INFO:
        return data, data.get("images")
    if ending == LORA_MANAGER:
        version = data.get("civitai")
        own = objects(member(version, "customImages"))
        return version, [*own, *objects(member(version, "images"))]
    version = member(data, "raw", "civitai")
    return version, member(version, "images") or data.get("images")


def _page(version: Any) -> str | None:
    """The address of the model's page, made of numbers alone."""
    model = member(version, "modelId") or member(version, "model", "id")
    if not isinstance(model, int) or model <= 0:
        return None
    build = member(version, "id")
    of_build = f"?modelVersionId={build}" if isinstance(build, int) and build > 0 else ""
    return _PAGE.format(model) + of_build


def _example(picture: dict[str, Any]) -> Example | None:
    said = member(picture, "meta", "prompt") or member(picture, "meta", "meta", "prompt")
    said = said or picture.get("positive") or picture.get("prompt")
    prompt = shorten(printable(said), MAX_PROMPT_BYTES).strip() if isinstance(said, str) else ""
    address = picture.get("url")
    sound = isinstance(address, str) and address.startswith("https://") and len(address) < 500
    return Example(prompt, address if sound else None) if prompt else None
