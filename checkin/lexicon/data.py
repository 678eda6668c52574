"""Data files: YAML in which every value is text, and lists of phrases with commas between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read(path: Path) -> Any:
    """What a YAML file holds; "no", "on" and 3 are text, too."""
    return yaml.load(path.read_text("utf-8"), Loader=_LOADER)


def phrases_in(text: str) -> tuple[str, ...]:
    """The phrases of a list such as "beach, sea shore"."""
    return tuple(" ".join(one.split()) for one in text.split(",") if one.strip())
