"""The lineage of a model whose files name none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from ..catalog.cards import Card
from ..catalog.facts import DESCRIBED_BY
from ..catalog.file_names import read_file_name, without_note
from ..readers.file_name import stem_of

DERIVED = "file name"
"""The source of a lineage that no file names."""
_SEPARATOR = " / "
_NAMELESS = frozenset(
    {"", "last", "model", "lora", "adapter model", "pytorch lora weights", "checkpoint", "ckpt"}
)
"""Default file names of trainers."""
_SERIAL = re.compile(r"[0-9a-f]{12,}|([a-z]|id|card|ckpt|checkpoint|model|lora)? ?\d+")


def lineage_of(card: Card) -> str:
    """The lineage of a card; cards with the same lineage are builds of one subject in one style.

    They have the same name without version, epoch, step, date and base model, and without what a
    person noted behind the version of a LoRA of their own, in any folder, the same kind, and the
    subjects and styles that people gave them. What is read from captions is no evidence, and a
    session id or a model page is none: people train many subjects in one session, and publish
    different styles as versions of one page.
    """
    file = os.path.splitext(os.path.basename(card.path or ""))[0]
    named = without_note(file) if card.kind == "lora" and card.origin != "downloaded" else file
    called = () if _says_nothing(stem_of(file)) else read_file_name(named).words
    said = [
        _set(getattr(card, name)) if card.sources.get(name, "") in DESCRIBED_BY else ""
        for name in ("subjects", "styles")
    ]
    if called:
        return _SEPARATOR.join((" ".join(called), card.kind, *said))
    parts = (_name(card), card.kind, _set(card.subjects), _set(card.styles), card.base_model or "")
    return _SEPARATOR.join(parts)


def shown_lineage(card: Card) -> str:
    """The lineage of a card for people: what the user wrote, else the part of it that is a name."""
    if card.sources.get("lineage") != DERIVED:
        return card.lineage or ""
    return (card.lineage or "").partition(_SEPARATOR)[0]


def _name(card: Card) -> str:
    """The file's name without version and date, or the card's id.

    If that says nothing, the trigger is used, then the folder's name.
    """
    folder, file = os.path.split(card.path or "")
    names = (os.path.splitext(file)[0] or card.id, card.trigger or "", os.path.basename(folder))
    return next((stem for name in names if not _says_nothing(stem := stem_of(name))), "")


def _says_nothing(stem: str) -> bool:
    """Whether a name is a trainer's default, a hash, or a serial number ("c0017")."""
    return stem in _NAMELESS or bool(_SERIAL.fullmatch(stem))


def _set(words: Iterable[str]) -> str:
    return ", ".join(sorted({word.casefold() for word in words}))
