"""A question about each part of a request that may mean several models, one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import numpy as np

from ...language.intent import Order
from ..base_models.fitting import Fitting
from ..candidates.builds import together
from ..candidates.grounded import Grounded
from ..questions.which import question_among
from ..selected import selected
from ..verdict import Decided, Verdict
from .build_of_part import with_builds_of


def part_by_part(
    case: Grounded,
    found: Sequence[Fitting],
    now: datetime,
    ordered: Mapping[int, Order],
    called: Sequence[str],
) -> Verdict:
    """The likeliest of the models that fit together, or a question about the first part that may
    mean several. `ordered`: the superlatives of single cards; `called`: the words for each part.
    """
    for place in range(len(found[0][0])):
        rivals = list(dict.fromkeys(cards[place] for cards, _ in found))
        if len(rivals) > 1:
            fit = _fitting_builds(case, found, place)
            builds = [fit.builds.best_of(card) for card in rivals]
            question = question_among(fit, builds, now, called[place])
            then = partial(_after, case, found, place, now, ordered, called)
            return replace(question, then=then)
    return selected(case, found[0][1], now, ordered=ordered)


def _after(
    case: Grounded,
    found: Sequence[Fitting],
    place: int,
    now: datetime,
    ordered: Mapping[int, Order],
    called: Sequence[str],
    said: Verdict,
    at: Grounded,
) -> Decided:
    """The verdict on all parts, after that on an answer about one of them.

    An answer may also name a model that its question has no room for.
    """
    if not said.entry:
        return said, at
    meant = said.entry.position
    lineage = case.builds.lineages([meant])
    same = [one for one in found if case.builds.lineages([one[0][place]]) == lineage]
    left = [
        ((*cards[:place], meant, *cards[place + 1 :]), builds)
        for cards, found_builds in same or found
        if (builds := _with_build(case, cards, place, meant) or (found_builds if same else ()))
    ]
    return (part_by_part(case, left, now, ordered, called), case) if left else (said, at)


def _fitting_builds(case: Grounded, found: Sequence[Fitting], place: int) -> Grounded:
    """The request with only those builds of the part that fit models of the others: no question
    promises "the newest" of them, and then another is used.
    """
    bases = case.left.columns.base_model.codes
    fit: set[int] = set()
    for cards, _ in found:
        of_card = case.builds.of(cards[place])
        for build in case.builds.by_base(of_card):
            if build not in fit and _with_build(case, cards, place, build):
                fit.update(of_card[bases[of_card] == bases[build]].tolist())
    return with_builds_of(case, [cards[place] for cards, _ in found], np.array(sorted(fit)))


def _with_build(case: Grounded, cards: Sequence[int], place: int, build: int) -> tuple[int, ...]:
    """Builds of the cards that fit one base model, with this one at `place`; empty if none do."""
    choices = [case.builds.by_base(case.builds.of(card)) for card in cards]
    choices[place] = [build]
    return together(case.left.columns, choices)
