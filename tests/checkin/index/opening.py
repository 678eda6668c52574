"""Open a library without embeddings, list its content, and make models unreadable."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from personalq.checkin import Repository


def opened(*folders: Path, **options: Any) -> Repository:
    return Repository.open(*folders, embedder=None, **options)


def names(repository: Repository) -> list[str]:
    return sorted(card.name for card in repository.cards)


def make_unreadable(folder: Path) -> None:
    """Overwrite all models with zeros, so that they keep their sizes and times."""
    for model in folder.rglob("*.safetensors"):
        stat = model.stat()
        model.write_bytes(bytes(stat.st_size))
        os.utime(model, ns=(stat.st_atime_ns, stat.st_mtime_ns))
