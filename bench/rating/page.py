"""The page on which a person rates pairs: one file, which needs no network and no server."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path

from ..evidence.drawn import FULL
from .pairs import Pair, digest

_TEMPLATE = Path(__file__).with_name("page.html")
_TYPES = {".jpg": "jpeg", ".jpeg": "jpeg"}


def page(folder: Path, pairs: Sequence[Pair]) -> str:
    """Return the page as HTML, with the pictures inside.

    Nothing in it says which picture is which.
    """
    shown = [
        {
            "id": pair.id,
            "prompt": pair.prompt,
            **{
                side: _data(folder / (FULL if side == pair.full_is else pair.variant) / pair.file)
                for side in ("left", "right")
            },
        }
        for pair in pairs
    ]
    data = json.dumps({"page": digest(pairs), "pairs": shown}).replace("<", "\\u003c")
    return _TEMPLATE.read_text("utf-8").replace("__DATA__", data)


def _data(file: Path) -> str:
    suffix = file.suffix.lower()
    kind = _TYPES.get(suffix, suffix.removeprefix("."))
    return f"data:image/{kind};base64,{base64.b64encode(file.read_bytes()).decode('ascii')}"
