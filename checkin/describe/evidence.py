"""What there is to describe a model by: its pictures, and the captions that it was trained on."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..catalog.cards import Card
from ..readers.header import read_header
from ..readers.text import MAX_WORDS_BYTES, plain, shorten

MAX_TAGS = 200
"""Tags that are kept, the most frequent ones."""


@dataclass(frozen=True)
class Evidence:
    """What is known of one model before it is described."""

    card: Card
    pictures: tuple[Path, ...] = ()
    tags: tuple[tuple[str, float], ...] = ()
    """(caption or tag, share of the training pictures that have it, 0 to 1), most frequent first.
    """


def evidence_of(card: Card, pictures: Sequence[Path] = ()) -> Evidence:
    """The evidence for one model: `pictures`, or those beside it, and the captions in its
    safetensors header.

    Raises FileNotFoundError when the model's file is gone, UnreadableFile when it is broken.
    """
    if card.path is None or not Path(card.path).is_file():
        raise FileNotFoundError(f"the file of '{card.id}' is not there; scan the folder again")
    metadata = read_header(Path(card.path)).metadata
    found = tuple(pictures) or tuple(
        Path(preview) for preview in card.previews if os.path.isfile(preview)
    )
    return Evidence(card, found, _tags(metadata.get("ss_tag_frequency", "")))


def _tags(frequency: str) -> tuple[tuple[str, float], ...]:
    """`ss_tag_frequency`: JSON of folder -> {caption or tag: pictures}."""
    try:
        folders = json.loads(frequency or "{}")
        counted = [
            Counter({str(tag): int(count) for tag, count in tags.items()})
            for tags in folders.values()
        ]
    except (ArithmeticError, AttributeError, RecursionError, TypeError, ValueError):
        return ()
    total: Counter[str] = sum(counted, Counter())
    pictures = sum(max(tags.values(), default=0) for tags in counted)
    common = total.most_common(MAX_TAGS)
    kept = (
        (shorten(plain(tag), MAX_WORDS_BYTES), min(count / pictures, 1))
        for tag, count in common
        if pictures
    )
    return tuple((tag, share) for tag, share in kept if tag)
