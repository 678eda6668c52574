"""Makes one model with a sidecar, and reads its card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.repository import Repository
from personalq.tests.checkin import make_files as make


def only_card(folder: Path) -> Card:
    repository = Repository.open(folder, embedder=None)
    assert repository.notices == ()
    (card,) = repository.cards
    return card


def with_sidecar(folder: Path, ending: str, content: Any, **lora: Any) -> Card:
    make.beside(make.make_lora(folder / "bear.safetensors", **lora), ending, content)
    return only_card(folder)
