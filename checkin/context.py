"""System context: the machine, what the user prefers, how models were run before. It never says which one is meant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .history import History, Use
from .settings import read_yaml

Prefer = Literal["speed", "balanced", "quality"]
PREFER: tuple[Prefer, ...] = ("speed", "balanced", "quality")
FILE = "settings.yaml"
"""In the settings folder: `prefer: speed | balanced | quality`, `history: on | off`."""
HISTORY_FILE = "history.jsonl"


@dataclass(frozen=True)
class Hardware:
    """What models run on, as far as the caller knows."""

    device: str
    """Its kind ("cuda", "cpu", ...)."""
    name: str = ""
    free: int | None = None
    """Bytes of its memory that a model may take."""


@dataclass(frozen=True)
class Context:
    """The second part of the intent record."""

    hardware: Hardware | None = None
    prefer: Prefer = "balanced"
    history: tuple[Use, ...] = ()
    """Newest last."""


def load_context(settings: Path | None, hardware: Hardware | None = None) -> Context:
    """The context that the settings folder describes. Raises ValueError for a setting that is none."""
    said = _said(settings)
    prefer = str(said.get("prefer") or "balanced")
    if prefer not in PREFER:
        raise ValueError(f"{FILE}: prefer is '{prefer}'; it is {', '.join(PREFER)}")
    history = open_history(settings)
    return Context(hardware, prefer, history.uses() if history else ())


def open_history(settings: Path | None) -> History | None:
    """The history of choices in the settings folder; None where it is turned off."""
    if settings is None or str(_said(settings).get("history") or "on").casefold() in ("off", "no", "false"):
        return None
    return History(settings / HISTORY_FILE)


def _said(settings: Path | None) -> dict[str, object]:
    path = settings / FILE if settings else None
    return read_yaml(path) if path and path.is_file() else {}
