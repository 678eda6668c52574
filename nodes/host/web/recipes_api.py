"""The recipes as the models tab shows and changes them: as cards of their own kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....checkin import Card
from ....checkin.catalog.pinned import PinnedModel
from ....checkin.decision.resolve import find
from ....checkin.index.browse import Browser
from ....checkin.lexicon.sentences import say
from ....checkin.user.recipes import Recipe, delete, keep, recipes
from ..models.library import NoSuchCard
from .cards_api import PAGE, start_of

KIND = "recipe"
PREFIX = "recipe:"
"""How the id of a recipe begins. It is only looked up, and never becomes part of a path."""
_CHANGED = {"name", "request"}


def page(settings: Path, browser: Browser, text: str, offset: str) -> dict[str, Any]:
    """The recipes that have all words of a text, as `cards_api.page` gives cards.

    Raises ValueError for an offset that is no number.
    """
    start = start_of(offset)
    words = text.casefold().split()
    found = [
        one
        for one in recipes(settings)
        if all(word in f"{one.name} {one.request} {one.models}".casefold() for word in words)
    ]
    shown = [_tile(one, browser) for one in found[start : start + PAGE]]
    return {"total": len(found), "cards": shown, "unmet": [], "near": []}


def details(settings: Path, browser: Browser, id: str) -> dict[str, Any]:
    """A recipe for the editor."""
    recipe = named(settings, id)
    said = recipe.to_json()
    return _tile(recipe, browser) | {
        "fields": {
            name: {"value": said[name], "source": "sidecar"} for name in ("name", "request")
        },
        "facts": {},
        "size": None,
        "page": None,
        "captions": [],
        "examples": [],
        "can_open": False,
        "uses": [_use(one, browser) for one in recipe.models.models],
        "file": said,
    }


def first_model(settings: Path, browser: Browser, id: str) -> Card | None:
    """The first model of a recipe that is here."""
    models = (_model(one, browser) for one in named(settings, id).models.models)
    return next(filter(None, models), None)


def change(settings: Path, id: str, changes: Mapping[str, Any]) -> Recipe:
    """Change the name or the request of a recipe."""
    recipe = named(settings, id)
    if not changes.keys() <= _CHANGED:
        raise ValueError("Expected a name or a request.")
    said = {name: "" if value is None else value for name, value in changes.items()}
    return keep(settings, replace(Recipe.of(recipe.to_json() | said), key=recipe.key))


def remove(settings: Path, id: str) -> None:
    """Delete a recipe."""
    delete(settings, named(settings, id))


def named(settings: Path, id: str) -> Recipe:
    """The recipe with this id. Raises NoSuchCard."""
    found = {f"{PREFIX}{one.key}": one for one in recipes(settings)}
    if id not in found:
        raise NoSuchCard(say("This recipe is not here any more."))
    return found[id]


def id_of(recipe: Recipe) -> str:
    """The id under which the page knows a recipe."""
    return PREFIX + recipe.key


def _tile(recipe: Recipe, browser: Browser) -> dict[str, Any]:
    models = recipe.models.models
    missing = [str(one.reference) for one in models if _model(one, browser) is None]
    return {
        "id": id_of(recipe),
        "name": recipe.name,
        "kind": KIND,
        "version": None,
        "created": None,
        "base_model": str(recipe.models),
        "words": recipe.request,
        "triggered": False,
        "request": recipe.request,
        "chosen": recipe.models.to_text(),
        "favourite": False,
        "why": [["missing", ", ".join(missing)]] if missing else [],
    }


def _use(pinned: PinnedModel, browser: Browser) -> str:
    """One model of a recipe in a line: "nelson_v3 0.8", "old_style: not here"."""
    strength = "" if pinned.strength is None else f" {pinned.strength:g}"
    said = f"{pinned.reference}{strength}"
    return said if _model(pinned, browser) else say("{model}: not here", model=said)


def _model(pinned: PinnedModel, browser: Browser) -> Card | None:
    entry, _ = find(pinned.reference, browser.repository.catalogue())
    return entry.card if entry else None
