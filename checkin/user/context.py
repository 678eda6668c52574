"""System context: the machine, what the user prefers, and how models were run before.

It never changes which model is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .history import History, Use
from .preferences import Prefer, load_preferences

HISTORY_FILE = "history.jsonl"


@dataclass(frozen=True)
class Hardware:
    """The device that models run on, as far as the caller knows it."""

    device: str
    """Its kind ("cuda", "cpu", ...)."""
    name: str = ""
    free: int | None = None
    """Bytes of its memory that a model may take."""
    int8: bool = True
    """Whether it multiplies integers of 8 bits natively."""


@dataclass(frozen=True)
class Context:
    """The second part of the intent record."""

    hardware: Hardware | None = None
    prefer: Prefer = "balanced"
    history: tuple[Use, ...] = ()
    """Newest last."""
    bases: Mapping[str, str] = field(default_factory=dict)
    """Family of base models -> name of the checkpoint that the user chose for its LoRAs."""


def load_context(settings: Path | None, hardware: Hardware | None = None) -> Context:
    """The context that the settings folder describes.

    Raises ValueError for an invalid setting.
    """
    said = load_preferences(settings)
    history = open_history(settings)
    return Context(hardware, said.prefer, history.uses() if history else (), said.bases)


def open_history(settings: Path | None) -> History | None:
    """The history of choices in the settings folder; None where it is turned off."""
    if settings is None or not load_preferences(settings).history:
        return None
    return History(settings / HISTORY_FILE)
