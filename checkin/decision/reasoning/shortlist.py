"""The models that a language model chooses among, and what it is told about each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice, zip_longest
from pathlib import PurePath
from typing import Any

import numpy as np

from ...catalog.selection import CardSelection, CardView
from ...lexicon.sentences import ENGLISH, speaking
from ...lexicon.text import printable
from ...readers.text import shorten
from ..candidates.grounded import Grounded
from ..candidates.likely import likely
from ..evidence.grounder import GroundedSegment
from ..reasons import met_words
from ..several.parts import for_parts
from ..verdict import Rank, Verdict

MAX_LINEAGES = 40
IN_FULL = 20
"""Of so many lineages all facts are told; of the others, what they are called and what they show.

A question has some 3,000 tokens so, at most 5,000; local servers often read 4,096 or 8,192.
"""
_MAX_BUILDS = 6
"""The most builds of the first lineage; of the others it is the best for each base model."""
_MAX_BYTES = {"description": 600, "reason": 200}
"""Bytes of each text that is sent or shown."""
_OTHER_BYTES = 120
_MAX_OF_PART = 5
"""Lineages for the words of one part of a request."""
_IN_BRIEF = ("file", "names", "title", "subjects", "styles", "base_model", "kind")


def shortlist(case: Grounded, verdict: Verdict, rank: Rank) -> CardSelection:
    """Builds of at most MAX_LINEAGES lineages that may be meant: those of `verdict` first.

    Then come, in turns, the likeliest for the whole request and those that have most of the words
    of each of its parts; then the others as `rank` orders them.
    """
    if not case.left:
        return case.left
    _, case = for_parts(case)
    columns = case.left.columns
    decided = [view.position for view in offered(case, verdict)]
    ways = [likely(case).positions.tolist(), *(_with_words(case, one) for one in case.segments)]
    turns = [card for turn in zip_longest(*ways) for card in turn if card is not None]
    cards = [*decided, *turns]
    known = set(columns.lineage[cards].tolist())
    if len(known) < MAX_LINEAGES:
        cards += rank(case.left.lineages().newest()).positions.tolist()
    first_of: dict[int, list[int]] = {}
    for card in cards:
        first_of.setdefault(int(columns.lineage[card]), []).append(card)
    shown: list[int] = []
    for place, own in enumerate(list(first_of.values())[:MAX_LINEAGES]):
        builds = case.builds.of(own[0])
        newest = case.left.at(builds).newest_first().positions.tolist()
        more = newest[:_MAX_BUILDS] if place == 0 else case.builds.by_base(builds)
        shown += dict.fromkeys([*own, *more][: None if place < IN_FULL else 1])
    return case.left.at(np.array(shown, np.int64))


def _with_words(case: Grounded, part: GroundedSegment) -> list[int]:
    """Cards of a few lineages that have most of the words of a part of the request."""
    cards, lineage = case.left.positions, case.left.columns.lineage
    cover = part.cover(cards)
    order = np.argsort(-cover, kind="stable")
    first: dict[int, int] = {}
    for card in cards[order[cover[order] > 0]].tolist():
        first.setdefault(int(lineage[card]), card)
    few = islice(first.values(), _MAX_OF_PART)
    return [case.builds.best_of(card) for card in few]


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
    lineages: dict[int, None] = {}
    entries = []
    for index, (entry, words) in enumerate(zip(shown, met or [""] * len(shown), strict=True)):
        lineages.setdefault(int(entry.catalogue.columns.lineage[entry.position]))
        facts = _facts(entry)
        if len(lineages) > IN_FULL:
            facts = {name: facts[name] for name in _IN_BRIEF if name in facts}
        entries.append({"index": index, **facts, **({"met": cleaned(words)} if words else {})})
    return entries


def _facts(entry: CardView) -> dict[str, Any]:
    card, columns, position = entry.card, entry.catalogue.columns, entry.position
    trained, downloaded = columns.trained[position], columns.downloaded[position]
    file = PurePath(card.path).stem if card.path else ""
    facts = {
        "file": cleaned((" ".join(columns.called[position]) or file) if file else ""),
        "names": cleaned(", ".join(card.names)),
        "title": cleaned(card.title),
        "subjects": cleaned(", ".join(card.subjects)),
        "styles": cleaned(", ".join(card.styles)),
        "tags": cleaned(", ".join(card.tags)),
        "description": cleaned(card.description, "description"),
        "origin": "trained by the person" if trained else "downloaded" if downloaded else "",
        "created": card.created_at.isoformat(timespec="minutes") if card.created_at else "",
        "version": card.version or "",
        "build": cleaned(", ".join(sorted(_builds_of(columns.labels[position])))),
        "state": columns.state[position],
        "base_model": card.base_model or "",
        "kind": card.kind,
    }
    return {name: value for name, value in facts.items() if value != ""}


def cleaned(text: object, what: str = "") -> str:
    """A text on one line without invisible characters, shortened."""
    return shorten(printable(str(text)), _MAX_BYTES.get(what, _OTHER_BYTES))


def _builds_of(labels: Collection[str]) -> list[str]:
    """The labels of a build but ages, which its name says as well, or does not mean: bear2."""
    return [one for one in labels if not one.startswith("age")]
