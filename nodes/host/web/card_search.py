"""Finds the cards that the models tab asks for, in the order that it asks for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

import numpy as np

from ....checkin.catalog.selection import CardSelection, CardView
from ....checkin.decision.candidates.grounded import positions_of
from ....checkin.decision.search import Found, search
from ....checkin.index.browse import Browser, Filters
from ....checkin.lexicon.sentences import say
from ....checkin.user.history import Use

SORTS = ("best", "newest", "name", "used")
ONLY = ("favourites", "used")
_TEXTS = ("kind", "base_model", "subject", "style", "folder")
_MAX_TEXT_CHARS = 200
_MAX_CACHED = 8


@dataclass(frozen=True)
class Mine:
    """What belongs to the user: favourites and uses, each by hash or id of the model."""

    favourites: frozenset[str] = frozenset()
    history: Sequence[Use] = ()


class CardSearch:
    """Searches, of which the last few are cached: the tab asks for their pages one by one."""

    NAMES = ("text", *_TEXTS, "since", "until", "sort", "only")

    def __init__(self) -> None:
        self._cached: OrderedDict[Any, Found] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, browser: Browser, query: Mapping[str, str], mine: Mine) -> Found:
        """The cards that fit the query, in its order.

        The query may have text, kind, base_model, subject, style, folder, since and until (days
        such as 2026-05-31), sort and only. Raises ValueError for other names and invalid values.
        """
        asked = {name: query.get(name, "")[:_MAX_TEXT_CHARS] for name in self.NAMES}
        now = datetime.now().astimezone()
        last = mine.history[-1] if mine.history else None
        key = (browser.repository.version, *asked.values(), now.date(), mine.favourites, last)
        with self._lock:
            found = self._cached.pop(key, None) or _found(browser, asked, mine, now)
            self._cached[key] = found
            while len(self._cached) > _MAX_CACHED:
                self._cached.popitem(last=False)
        return found

    def warm(self, browser: Browser) -> None:
        """Read the words of the library, so that the first search does not wait for that."""
        self.find(browser, {"text": "anything"}, Mine())


def _found(browser: Browser, asked: Mapping[str, str], mine: Mine, now: datetime) -> Found:
    only, sort = asked["only"], asked["sort"]
    for name, known in (("only", ONLY), ("sort", SORTS)):
        if asked[name] and asked[name] not in known:
            raise ValueError(f"{name} is {asked[name][:40]!r}; it is {', '.join(known)}")
    until = _day(asked["until"])
    cards = browser.find(
        Filters(
            **{name: asked[name] for name in _TEXTS},
            since=_day(asked["since"]),
            until=until and until + timedelta(days=1),
        )
    )
    used = positions_of(mine.history, cards) if "used" in (only, sort) else ()
    last_used = {position: when for when, position in used}
    if only == "favourites":
        kept = [one.position for one in cards if is_favourite(one, mine.favourites)]
        cards = cards.at(np.array(kept, np.int64))
    if only == "used":
        cards = cards.at(cards.positions[np.isin(cards.positions, list(last_used))])
    text = asked["text"].strip()
    found = (
        search(text, browser.repository, cards, browser, now, mine.history)
        if text
        else Found("", cards)
    )
    sort = sort or ("used" if only == "used" and not text else "best")
    return Found(
        found.text,
        _sorted(found.cards, sort, browser, last_used),
        found.grounds,
        found.gates,
        found.unmet,
        found.near,
    )


def is_favourite(view: CardView, favourites: frozenset[str]) -> bool:
    """Whether a card is marked, by the hash of its file or by its id."""
    return not favourites.isdisjoint(names_of(view))


def names_of(view: CardView) -> frozenset[str]:
    """What a model is called in the user's files: the hash of its file, and its id."""
    content = view.catalogue.columns.content[view.position]
    return frozenset(filter(None, (content, view.id)))


def _sorted(
    cards: CardSelection, sort: str, browser: Browser, last_used: Mapping[int, datetime]
) -> CardSelection:
    if sort == "best":
        return cards
    newest = cards.newest_first()
    if sort == "newest":
        return newest
    places = newest.positions.tolist()
    if sort == "name":
        return cards.at(np.array(sorted(places, key=lambda one: browser.names[one]), np.int64))
    used = sorted((one for one in places if one in last_used), key=lambda one: last_used[one])
    rest = [one for one in places if one not in last_used]
    return cards.at(np.array([*reversed(used), *rest], np.int64))


def _day(text: str) -> datetime | None:
    """The start of a day in the server's time zone; None for no text.

    Raises ValueError for a text that is not a day.
    """
    if not text:
        return None
    try:
        day = datetime.combine(datetime.strptime(text, "%Y-%m-%d").date(), time()).astimezone()
        day + timedelta(days=2)  # of the last days there is none
        return day
    except (ValueError, OverflowError):
        why = say("{text} is no day; write it as 2026-05-31", text=repr(text[:40]))
        raise ValueError(why) from None
