"""Pairs of pictures: the same prompt and noise, in full precision and quantized."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..evidence.drawn import FULL, PROMPTS
from ..evidence.real_pictures import SUFFIXES

Side = Literal["left", "right"]


@dataclass(frozen=True)
class Pair:
    """Two pictures that are shown side by side."""

    id: str
    prompt: str
    variant: str
    """Name of the folder of the quantized picture."""
    file: str
    full_is: Side

    def as_dict(self) -> dict[str, Any]:
        """Return the pair as the key holds it."""
        return dict(vars(self))


def pairs_in(
    folder: Path, variants: Sequence[str] = (), count: int | None = None, seed: int = 0
) -> list[Pair]:
    """Return pairs of a folder in random order, the full-precision picture on a random side.

    `folder` holds a folder "full precision", one for each way to quantize with pictures of the same
    names, and prompts.json with name -> prompt. `variants` are names of these folders (default:
    all), `count` is how many pairs are drawn. Raises ValueError where there is no pair.
    """
    if not (folder / FULL).is_dir():
        raise ValueError(
            f"{folder} has no folder {FULL!r}; `bench evidence --draw` writes such folders"
        )
    known = sorted(f.name for f in folder.iterdir() if f.is_dir() and f.name != FULL)
    if unknown := [name for name in variants if name not in known]:
        raise ValueError(f"{folder} has no folder {unknown[0]!r}; it has {', '.join(known)}")
    file = folder / PROMPTS
    prompts = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    found = [
        (variant, picture.name)
        for variant in (variants or known)
        for picture in sorted((folder / FULL).iterdir())
        if picture.suffix.lower() in SUFFIXES and (folder / variant / picture.name).is_file()
    ]
    if not found:
        raise ValueError(f"{folder} has no two pictures of the same name in {FULL!r} and another")
    drawn = random.Random(seed)
    drawn.shuffle(found)
    return [
        Pair(f"{n:03}", prompts.get(name, ""), variant, name, drawn.choice(("left", "right")))
        for n, (variant, name) in enumerate(found[:count], 1)
    ]


def digest(pairs: Sequence[Pair]) -> str:
    """Return twelve digits that say to which pairs a rater's answers belong."""
    text = json.dumps([pair.as_dict() for pair in pairs], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
