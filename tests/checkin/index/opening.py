"""Opening a library by words alone, and what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from personalq.checkin import Repository


def opened(*folders: Path, **options: Any) -> Repository:
    return Repository.open(*folders, embedder=None, **options)


def names(repository: Repository) -> list[str]:
    return sorted(card.name for card in repository.cards)
