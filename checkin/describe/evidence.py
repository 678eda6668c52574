"""The evidence for a description: a model's pictures, and the captions of its training."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..catalog.cards import Card
from ..lexicon.sentences import say
from ..lexicon.text import printable
from ..llm.prompt import NoAnswer, image_type
from ..readers.caption_counts import caption_shares
from ..readers.header import MAX_HEADER_BYTES, read_header
from ..readers.text import MAX_WORDS_BYTES, shorten

MAX_PICTURE_BYTES = 8 * 1024 * 1024
MAX_TAGS = 200
"""How many of the most frequent tags are used."""


@dataclass(frozen=True)
class Evidence:
    """What is known about one model before it is described."""

    card: Card
    pictures: tuple[Path, ...] = ()
    tags: tuple[tuple[str, float], ...] = ()
    """(caption or tag, share of the training pictures that have it, 0 to 1), most frequent first.
    """


def evidence_of(card: Card, pictures: Sequence[Path] = ()) -> Evidence:
    """The evidence for one model: pictures, and the captions in its safetensors header.

    The pictures are `pictures`, or without any the card's previews. Raises FileNotFoundError if the
    model's file is gone, UnreadableFile if it is broken.
    """
    if card.path is None or not Path(card.path).is_file():
        raise FileNotFoundError(
            say("the file of '{name}' is not there; scan the folder again", name=card.id)
        )
    metadata = read_header(Path(card.path)).metadata
    found = tuple(pictures) or pictures_beside(card)
    return Evidence(card, found, _tags(metadata))


def pictures_beside(card: Card) -> tuple[Path, ...]:
    """The previews of a card that are pictures in files of their own, as models take them."""
    files = (Path(preview) for preview in card.previews if os.path.isfile(preview))
    return tuple(file for file in files if _is_taken(file))


def _is_taken(picture: Path) -> bool:
    """Whether models take a picture, by its size and kind, whatever its name says."""
    with picture.open("rb") as file:
        start = file.read(16)
    try:
        image_type(start)
    except NoAnswer:
        return False
    return picture.stat().st_size <= MAX_PICTURE_BYTES


def _tags(metadata: Mapping[str, str]) -> tuple[tuple[str, float], ...]:
    """The most frequent captions and tags, each with its share of the pictures."""
    shares = caption_shares(metadata, MAX_HEADER_BYTES)
    often = sorted(shares, key=lambda tag: -shares[tag])[:MAX_TAGS]
    shown = ((shorten(printable(tag), MAX_WORDS_BYTES), shares[tag]) for tag in often)
    return tuple((tag, share) for tag, share in shown if tag)
