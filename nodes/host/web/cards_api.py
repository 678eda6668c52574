"""The cards as the repository tab shows and changes them, in JSON types.

A page names models by their ids and never by paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....checkin import Card
from ....checkin.catalog.said_version import version_in_short
from ....checkin.catalog.selection import CardView
from ....checkin.decision.search_reasons import reasons
from ....checkin.index.browse import Browser
from ....checkin.index.sidecar_file import write_sidecar
from ....checkin.language.trigger_prompt import escaped
from ....checkin.lexicon.base_models import label_of
from ....checkin.lexicon.sentences import again, say
from .card_details import FIELDS, LISTS, about
from .card_search import CardSearch, Mine, is_favourite

PAGE = 100
"""The largest number of cards in one answer."""
MAX_NOTICES = 500
_LEFT_OUT = "left out: "


def start_of(offset: str) -> int:
    """The place in a list from which on a page shows it. Raises ValueError for no number."""
    if not (offset.isascii() and offset.isdecimal() and len(offset) < 10):
        raise ValueError("offset is no number")
    return int(offset)


def page(
    search: CardSearch, browser: Browser, query: Mapping[str, str], mine: Mine
) -> dict[str, Any]:
    """How many cards fit the query (card_search.py), and PAGE of them from its `offset` on.

    With a text, each card says why it was found, and the answer has the words that no card has,
    each with the words of the library that are nearest. Raises ValueError for an invalid query.
    """
    known = {*CardSearch.NAMES, "offset"}
    unknown = sorted(query.keys() - known)
    if unknown:
        raise ValueError(f"There is no filter {unknown[0][:40]!r}.")
    start = start_of(query.get("offset", "0"))
    found = search.find(browser, query, mine)
    shown = list(found.cards[start : start + PAGE])
    cards = [tile(view, mine) for view in shown]
    if found.text:
        for view, card in zip(shown, cards, strict=True):
            card["why"] = reasons(found, view.card, view.position)
    return {
        "total": len(found.cards),
        "cards": cards,
        "unmet": found.unmet,
        "near": found.near,
    }


def summary(browser: Browser) -> dict[str, Any]:
    """The version of the library, the number of models, what was left out and why, and the choices
    of the filters: each with its number of models and, of a base model, its name.
    """
    notices = browser.repository.notices
    filters = browser.values()
    bases = [(name, count, label_of(name)) for name, count in filters["base_model"]]
    return {
        "version": browser.repository.version,
        "total": len(browser.repository.cards),
        "unreadable": sum(_LEFT_OUT in one for one in notices),
        "notices": [_notice(one) for one in sorted(notices, key=_last_if_read)[:MAX_NOTICES]],
        "filters": filters | {"base_model": bases},
        "folders": browser.folders(),
    }


def details(browser: Browser, card: Card, mine: Mine, can_open: bool) -> dict[str, Any]:
    """A card for the editor. `can_open`: whether its folder can be shown on the user's machine."""
    catalogue = browser.repository.catalogue()
    view = CardView(catalogue, catalogue.position_of[card.id])
    return tile(view, mine) | about(card) | {"can_open": can_open and card.path is not None}


def save(card: Card, changes: Mapping[str, Any]) -> None:
    """Write changed fields into the card's sidecar; the value None removes a field from it. A list
    may be a text with commas.

    Raises ValueError for a field that cannot be changed, for a value of the wrong type or one that
    a card cannot have, and if the model's file is gone.
    """
    changes = {name: _as_list(value) if name in LISTS else value for name, value in changes.items()}
    for name, value in changes.items():
        if name not in FIELDS:
            raise ValueError(f"{name[:40]!r} cannot be changed here; {', '.join(FIELDS)} can")
        if value is None:
            continue
        fits = (
            isinstance(value, list) and all(isinstance(one, str) for one in value)
            if name in LISTS
            else None
        )
        if not (isinstance(value, str) if fits is None else fits):
            raise ValueError(f"{name}: expected {'a list of texts' if name in LISTS else 'a text'}")
    write_sidecar(file_of(card), changes)


def _as_list(value: object) -> object:
    if not isinstance(value, str):
        return value
    return [one.strip() for one in value.split(",") if one.strip()]


def file_of(card: Card) -> str:
    """The path of a card's file. Raises ValueError if it is gone."""
    if card.path is None or not Path(card.path).is_file():
        raise ValueError(say("The model's file is gone: press Rescan."))
    return card.path


def call(card: Card, change: Mapping[str, Any]) -> None:
    """Add a name to what the user calls a model: {"add": "pickle"}; or remove it: {"remove": ...}.

    A name that it has already is not added again. Raises ValueError for any other change, and as
    `save` does.
    """
    act, name = next(iter(change.items()), ("", None))
    if len(change) != 1 or act not in ("add", "remove") or not isinstance(name, str):
        raise ValueError('Expected {"add": name} or {"remove": name}.')
    others = [one for one in card.names if one.casefold() != name.strip().casefold()]
    if act == "add" and len(others) < len(card.names):
        return
    save(card, {"names": [*others, name] if act == "add" else others or None})


def words_of(card: Card) -> str:
    """What a prompt needs of a card: its trigger, or its name."""
    return escaped(card.trigger) if card.trigger else card.name


def tile(view: CardView, mine: Mine) -> dict[str, Any]:
    """A card as the grid shows it."""
    card = view.card
    return {
        "id": card.id,
        "name": card.name,
        "kind": card.kind,
        "version": version_in_short(card),
        "created": card.created_at.date().isoformat() if card.created_at else None,
        "base_model": card.base_model and label_of(card.base_model),
        "words": words_of(card),
        "triggered": card.trigger is not None,
        "favourite": is_favourite(view, mine.favourites),
    }


def _notice(text: str) -> dict[str, str]:
    """A notice of the scan as the file and the reason."""
    file, _, why = text.partition(": ")
    return {"file": file, "why": again(why.removeprefix(_LEFT_OUT))}


def _last_if_read(notice: str) -> bool:
    return _LEFT_OUT not in notice
