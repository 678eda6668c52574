"""The settings as their dialog shows and changes them: fixed choices, never a path or a key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....checkin import EmptyRepository
from ....checkin.lexicon.base_models import label_of
from ....checkin.lexicon.sentences import say
from ....checkin.retrieval.installed import downloaded_embedders
from ....checkin.user.preferences import (
    AUTO,
    MAX_QUESTIONS,
    OFF,
    PREFER,
    load_preferences,
    save_preferences,
)
from ..models.repository import ALL, choices, open_repository
from ..user import reasoner_names


def offered() -> dict[str, list[Any]]:
    """The values that each setting may have; for `leave_out`, the folders that it may contain.

    For `bases`, the families with the models that their LoRAs can be loaded on.
    """
    return {
        "leave_out": sorted(choices()[1:]),
        "embedder": [AUTO, OFF, *downloaded_embedders()],
        "reasoner": reasoner_names(),
        "prefer": list(PREFER),
        "questions": list(range(MAX_QUESTIONS + 1)),
        "bases": [
            {"family": family, "name": label_of(family), "models": models}
            for family, models in _bases().items()
        ],
    }


def _bases() -> dict[str, list[str]]:
    try:
        found = open_repository(ALL).bases.by_family()
    except (EmptyRepository, ValueError):  # no models yet, or all folders are left out
        return {}
    return dict(sorted(found.items(), key=lambda one: label_of(one[0]).casefold()))


def settings(folder: Path) -> dict[str, Any]:
    """The settings, and the values that each may have.

    A value that can only be set in the file, such as a path, is returned as None.
    """
    said, offers = load_preferences(folder), offered()
    values = {name: getattr(said, name) for name in offers}
    for name in ("embedder", "reasoner"):
        values[name] = values[name] if values[name] in offers[name] else None
    known = {one["family"]: one["models"] for one in offers["bases"]}
    values["bases"] = {
        family: name if name in known.get(family, ()) else None
        for family, name in said.bases.items()
    }
    values["leave_out"] = [name for name in said.leave_out if name in offers["leave_out"]]
    return {"values": values, "offered": offers}


def change_settings(folder: Path, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change the settings in `changes`, and return `settings`.

    `bases` holds only the families that change, with "" for the likeliest model.

    Raises ValueError for an unknown setting or a value that is not offered, and then writes
    nothing.
    """
    offers = offered()
    for name, value in changes.items():
        if name not in offers:
            raise ValueError(f"There is no setting {name[:40]!r}.")
        if name == "bases":
            _check_bases(value, offers[name])
            continue
        values = value if name == "leave_out" else [value]
        if not isinstance(values, list) or not all(_is_among(one, offers[name]) for one in values):
            raise ValueError(
                say(
                    "{name} cannot be {value}; choose one of those that are offered.",
                    name=name,
                    value=repr(str(value)[:80]),
                )
            )
    if "leave_out" in changes:  # what is not here now, such as a folder on another disk, stays
        away = [one for one in load_preferences(folder).leave_out if one not in offers["leave_out"]]
        changes = {**changes, "leave_out": [*changes["leave_out"], *away]}
    if "bases" in changes:
        bases = {**load_preferences(folder).bases, **changes["bases"]}
        changes = {**changes, "bases": {family: name for family, name in bases.items() if name}}
    save_preferences(folder, changes)
    return settings(folder)


def _check_bases(value: object, offers: list[Any]) -> None:
    known = {one["family"]: ["", *one["models"]] for one in offers}
    if not isinstance(value, dict) or not all(
        _is_among(name, known.get(family, [])) for family, name in value.items()
    ):
        raise ValueError(
            say(
                "bases cannot be {value}; choose one of the models that are offered.",
                value=repr(str(value)[:80]),
            )
        )


def _is_among(value: object, offers: list[Any]) -> bool:
    """Whether a value equals one of the offers and has the same type, so that True is not 1."""
    return any(type(value) is type(offer) and value == offer for offer in offers)
