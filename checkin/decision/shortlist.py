"""The models that a language model chooses among, and what it is told about each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..catalog.selection import CardSelection, CardView
from ..lexicon.sentences import ENGLISH, speaking
from ..lexicon.text import printable
from ..readers.text import shorten
from .grounded import Grounded, likely
from .reasons import met_words
from .verdict import Rank, Verdict

MAX_LINEAGES = 20
_MAX_BUILDS = 6
"""The most builds of the first lineage; of the others it is the best for each base model."""
_MAX_BYTES = {"description": 600, "reason": 200}
"""Bytes of each text that is sent or shown."""
_OTHER_BYTES = 120


def shortlist(case: Grounded, verdict: Verdict, rank: Rank) -> CardSelection:
    """Builds of at most MAX_LINEAGES lineages that may be meant: those of `verdict` first.

    Then come the lineages with evidence, the likeliest first, and the others as `rank` orders them.
    """
    if not case.left:
        return case.left
    columns, chooser = case.left.columns, case.chooser
    likeliest = likely(case)
    decided = [view.position for view in offered(case, verdict)]
    cards = [*decided, *likeliest.positions.tolist()]
    known = set(columns.lineage[cards].tolist())
    if len(known) < MAX_LINEAGES:
        cards += rank(case.left.lineages().newest()).positions.tolist()
    first_of: dict[int, list[int]] = {}
    for card in cards:
        first_of.setdefault(int(columns.lineage[card]), []).append(card)
    shown: list[int] = []
    for place, own in enumerate(list(first_of.values())[:MAX_LINEAGES]):
        builds = chooser.builds(own[0])
        newest = case.left.at(builds).newest_first().positions.tolist()
        more = newest[:_MAX_BUILDS] if place == 0 else chooser.by_base(builds)
        shown += dict.fromkeys([*own, *more])
    return case.left.at(np.array(shown, np.int64))


def offered(case: Grounded, verdict: Verdict) -> tuple[CardView, ...]:
    """The models of a selection, or the first behind each choice of a question."""
    if verdict.entry:
        return verdict.views
    catalogue = case.left.catalogue
    choices = verdict.question.choices if verdict.question else ()
    ids = dict.fromkeys(choice.card_ids[0] for choice in choices)
    return tuple(CardView(catalogue, catalogue.position_of[one]) for one in ids)


def met_in(case: Grounded, shown: CardSelection) -> list[str]:
    """For each model, which words of the request it has where."""
    grounds = [ground for one in case.segments for ground in one.grounds]
    with speaking(ENGLISH):  # the language model's own
        return [met_words(case, grounds, position) for position in shown.positions.tolist()]


def told(shown: Sequence[CardView], met: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What a language model is told about each card, with its number: no path and no trigger.

    Texts are cleaned and shortened; what is not known is left out.
    """
    return [
        {"index": index, **_facts(entry), **({"met": cleaned(words)} if words else {})}
        for index, (entry, words) in enumerate(zip(shown, met or [""] * len(shown), strict=True))
    ]


def _facts(entry: CardView) -> dict[str, Any]:
    card, columns, position = entry.card, entry.catalogue.columns, entry.position
    trained, downloaded = columns.trained[position], columns.downloaded[position]
    facts = {
        "file": cleaned(" ".join(columns.called[position])) if card.path else "",
        "names": cleaned(", ".join(card.names)),
        "title": cleaned(card.title),
        "subjects": cleaned(", ".join(card.subjects)),
        "styles": cleaned(", ".join(card.styles)),
        "tags": cleaned(", ".join(card.tags)),
        "description": cleaned(card.description, "description"),
        "origin": "trained by the person" if trained else "downloaded" if downloaded else "",
        "created": card.created_at.isoformat(timespec="minutes") if card.created_at else "",
        "version": card.version or "",
        "build": cleaned(", ".join(sorted(columns.labels[position]))),
        "state": columns.state[position],
        "base_model": card.base_model or "",
        "kind": card.kind,
    }
    return {name: value for name, value in facts.items() if value != ""}


def cleaned(text: object, what: str = "") -> str:
    """A text on one line without invisible characters, shortened."""
    return shorten(printable(str(text)), _MAX_BYTES.get(what, _OTHER_BYTES))
