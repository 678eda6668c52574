"""The user's favourite models: a list in one file, which its owner may edit."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ...atomic_write import alone
from .settings import read_yaml
from .yaml_file import edit_yaml

FILE = "favourites.yaml"
"""The file in the settings folder. Its only key is `favourites`, a list of models.

A model is named by the hash of its file, or by the id of its card, as in the history.
"""
_KEY = "favourites"


def favourites(settings: Path) -> frozenset[str]:
    """The models that are marked. Raises ValueError for a file that cannot be read."""
    return frozenset(_listed(settings / FILE))


def mark(settings: Path, model: str, names: Collection[str] = ()) -> None:
    """Mark a model as a favourite; its other `names` in the file are replaced.

    Raises ValueError for a file that cannot be read or is full.
    """
    with alone(settings / FILE):
        _write(settings, [*_without(settings, {model, *names}), model])


def unmark(settings: Path, model: str, names: Collection[str] = ()) -> None:
    """Remove a model from the favourites, by all names of it. Raises ValueError as `mark` does."""
    with alone(settings / FILE):
        _write(settings, _without(settings, {model, *names}))


def _without(settings: Path, names: Collection[str]) -> list[str]:
    return [one for one in _listed(settings / FILE) if one not in names]


def _write(settings: Path, models: list[str]) -> None:
    settings.mkdir(parents=True, exist_ok=True)
    edit_yaml(settings / FILE, {_KEY: models or None})


def _listed(path: Path) -> list[str]:
    said = read_yaml(path).get(_KEY) or [] if path.is_file() else []
    if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
        raise ValueError(f"{path.name}: expected `{_KEY}:` and a list of models below it")
    return said
