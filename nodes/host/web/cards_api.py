"""The cards as the repository tab shows and changes them, in JSON types.

A page names models by their ids and never by paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

from ....checkin import Card
from ....checkin.catalog.pinned import PinnedModel
from ....checkin.catalog.reference import Reference
from ....checkin.index.browse import Browser, Filters
from ....checkin.index.sidecar_file import write_sidecar
from ....checkin.language.trigger_prompt import escaped
from ....checkin.lexicon.base_models import label_of
from ....checkin.lexicon.sentences import again, say

FIELDS = ("triggers", "names", "subjects", "styles", "description", "lineage")
"""Fields that can be changed in the card editor."""
LISTS = ("triggers", "names", "subjects", "styles")
FACTS = ("kind", "base_model", "base", "version", "created_at", "strength")
"""Fields that the card editor only shows."""
PAGE = 100
"""The largest number of cards in one answer."""
_TEXTS = ("text", "base_model", "subject", "style")
_MAX_TEXT_CHARS = 200


def page(browser: Browser, query: Mapping[str, str]) -> dict[str, Any]:
    """How many cards fit the query, and PAGE of them from `offset` on, the newest first.

    The query may have text, base_model, subject, style, since and until (days such as 2026-05-31),
    and offset. Raises ValueError for other names, and for invalid days or offsets.
    """
    unknown = sorted(query.keys() - {*_TEXTS, "since", "until", "offset"})
    if unknown:
        raise ValueError(f"There is no filter {unknown[0][:40]!r}.")
    texts = {name: query.get(name, "")[:_MAX_TEXT_CHARS] for name in _TEXTS}
    until = _day(query.get("until"))
    filters = Filters(
        **texts, since=_day(query.get("since")), until=until and until + timedelta(days=1)
    )
    offset = query.get("offset", "0")
    if not (offset.isascii() and offset.isdecimal() and len(offset) < 10):
        raise ValueError("offset is no number")
    found = browser.find(filters)
    start = int(offset)
    return {
        "total": len(found),
        "cards": [_tile(entry.card) for entry in found[start : start + PAGE]],
    }


def summary(browser: Browser) -> dict[str, Any]:
    """The number of models, the notices (what was left out, and why), the choices of the filters,
    and the names of base models.
    """
    notices = browser.repository.notices
    filters = browser.values()
    labels = {name: label_of(name) for name, _ in filters["base_model"]}
    return {
        "total": len(browser.repository.cards),
        "notices": list(map(again, notices[:PAGE])),
        "filters": filters,
        "names": {name: said for name, said in labels.items() if said != name},
    }


def details(card: Card) -> dict[str, Any]:
    """A card for the editor: each value with its source."""
    return _tile(card) | {
        "fields": {name: _said(card, name) for name in FIELDS},
        "facts": {name: _said(card, name) for name in FACTS if name in card.sources},
    }


def save(card: Card, changes: Mapping[str, Any]) -> None:
    """Write changed fields into the card's sidecar; the value None removes a field from it.

    Raises ValueError for a field that cannot be changed, for a value of the wrong type or one that
    a card cannot have, and if the model's file is gone.
    """
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
    if card.path is None or not Path(card.path).is_file():
        raise ValueError(say("The model's file is gone: press Rescan."))
    write_sidecar(card.path, changes)


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


def _tile(card: Card) -> dict[str, Any]:
    return {
        "id": card.id,
        "name": card.name,
        "kind": card.kind,
        "version": card.version,
        "created": card.created_at.date().isoformat() if card.created_at else None,
        "base_model": card.base_model,
        "subjects": card.subjects,
        "styles": card.styles,
        "words": escaped(card.trigger) if card.trigger else card.name,
        "triggered": card.trigger is not None,
        "chosen": PinnedModel(Reference.of(card)).to_line(),
    }


def _said(card: Card, name: str) -> dict[str, Any]:
    value = getattr(card, name)
    return {
        "value": value.isoformat() if isinstance(value, datetime) else value,
        "source": card.sources.get(name),
    }


def _day(text: str | None) -> datetime | None:
    """The start of a day in the server's time zone; None for no text.

    Raises ValueError for a text that is not a day.
    """
    if not text:
        return None
    try:
        return datetime.combine(datetime.strptime(text, "%Y-%m-%d").date(), time()).astimezone()
    except (ValueError, OverflowError):
        raise ValueError(
            say("{text} is no day; write it as 2026-05-31", text=repr(text[:40]))
        ) from None
