"""The user's preferences: the settings file, read and written one line at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..lexicon.sentences import listed, say
from ..lexicon.split_models import SPLIT_MODELS
from .settings import read_yaml
from .yaml_file import edit_yaml

Prefer = Literal["speed", "balanced", "quality"]
PREFER: tuple[Prefer, ...] = ("speed", "balanced", "quality")
FILE = "settings.yaml"
"""The file in the settings folder.

Its keys are `prefer`, `history` (on or off), `reasoner`, `embedder`, `questions`, `leave_out`
and `bases`.
"""
OFFLINE = "offline"
"""The reasoner that asks no language model."""
AUTO, OFF = "auto", "off"
MAX_QUESTIONS = 2
"""The most questions in a row for one request."""
_YES, _NO = ("on", "yes", "true"), ("off", "no", "false")


@dataclass(frozen=True)
class Preferences:
    """The settings, with their defaults."""

    prefer: Prefer = "balanced"
    """What matters most when a model is run. It never changes which one is chosen."""
    history: bool = True
    """Whether uses of models are stored."""
    reasoner: str = OFFLINE
    """The language model of nodes that are set to "as in settings"; `offline` for none."""
    embedder: str = AUTO
    """The ranking by meaning: `auto`, `off`, or a sentence-transformers model on this machine.

    With `off`, models are ranked by words alone.
    """
    questions: int = MAX_QUESTIONS
    """Questions in a row before the likeliest model is taken; 0 never asks."""
    leave_out: tuple[str, ...] = ()
    """Folders of models that are skipped, by their names in the host ("loras/old")."""
    bases: Mapping[str, str] = field(default_factory=dict)
    """Family of base models -> name of the checkpoint or diffusion model for its LoRAs."""


def load_preferences(settings: Path | None) -> Preferences:
    """The preferences in the settings folder. Raises ValueError for an invalid setting."""
    path = settings / FILE if settings else None
    return _preferences(read_yaml(path)) if path and path.is_file() else Preferences()


def save_preferences(settings: Path, changes: Mapping[str, object]) -> Preferences:
    """Change some settings (fields of `Preferences`); the file's other lines stay as they are.

    Raises ValueError, and writes nothing, for an invalid setting and for a file that cannot be
    read.
    """
    path = settings / FILE
    unknown = sorted(changes.keys() - Preferences.__dataclass_fields__)
    if unknown:
        raise ValueError(f"{', '.join(map(repr, unknown))} is no setting")
    written = {name: _written(value) for name, value in changes.items()}
    after = _preferences({**(read_yaml(path) if path.is_file() else {}), **written})
    settings.mkdir(parents=True, exist_ok=True)
    edit_yaml(path, written)
    return after


def _written(value: object) -> Any:
    """The value as texts: the form in which the file is read."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return [str(item) for item in value] or None
    if isinstance(value, Mapping):
        return {str(key): str(item) for key, item in value.items()} or None
    return str(value)


def _preferences(said: Mapping[str, Any]) -> Preferences:
    prefer = str(said.get("prefer") or "balanced")
    if prefer not in PREFER:
        raise ValueError(_no_such("prefer", prefer, ", ".join(PREFER)))
    history = str(said.get("history") or "on").casefold()
    if history not in (*_YES, *_NO):
        raise ValueError(_no_such("history", history, listed(["on", "off"])))
    questions = str(said.get("questions") or MAX_QUESTIONS)
    if questions not in map(str, range(MAX_QUESTIONS + 1)):
        raise ValueError(
            _no_such("questions", questions, say("a number from 0 to {most}", most=MAX_QUESTIONS))
        )
    left_out = said.get("leave_out") or []
    if not isinstance(left_out, list) or not all(isinstance(name, str) for name in left_out):
        raise ValueError(
            say(
                "{file}: leave_out is no list of folders; write it as [loras/old, loras/tests]",
                file=FILE,
            )
        )
    return Preferences(
        prefer,
        history in _YES,
        str(said.get("reasoner") or OFFLINE),
        str(said.get("embedder") or AUTO),
        int(questions),
        tuple(left_out),
        _bases(said.get("bases") or {}),
    )


def _no_such(name: str, value: str, choices: str) -> str:
    return say(
        "{file}: {name} is '{value}'; it is {choices}",
        file=FILE,
        name=name,
        value=value,
        choices=choices,
    )


def _bases(said: Any) -> Mapping[str, str]:
    families = [row.base_model for row in SPLIT_MODELS]
    if not isinstance(said, dict) or not all(isinstance(name, str) for name in said.values()):
        raise ValueError(
            say(
                "{file}: bases is no list of families; write lines such as `  flux1: flux1-dev` "
                "below it",
                file=FILE,
            )
        )
    for family in said:
        if family not in families:
            raise ValueError(
                say(
                    "{file}: bases names '{family}'; it is {choices}",
                    file=FILE,
                    family=family,
                    choices=", ".join(families),
                )
            )
    return said
