"""Models that other words of a request name, besides those that were chosen: offered, never taken.

"Mushroom folk running away from a dragon" may mean the picture's dragon or the model wyrmforge of
one: the user adds it with one click.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..catalog.columns import Array
from ..catalog.selection import CardView
from ..language.intent import Builds, Intent
from .candidates.builds import together
from .candidates.grounded import Grounded
from .case import Case
from .decision import Addition
from .evidence.grounder import (
    GENERIC,
    SMALL,
    Ground,
    GroundedSegment,
    grounder_of,
)
from .evidence.spelt import A_NAME
from .verdict import Verdict

_MOST = 3
_A_STYLE = 0.8
"""The least strength of a word for a style after "in" or "as"."""
_TOLD = 0.4
"""From this strength on, a word may speak of a chosen model."""
_HALF = 0.5
"""The least share of its name's words by which a model is called."""


def additions(case: Case, verdict: Verdict) -> tuple[Addition, ...]:
    """The likeliest LoRA for each word that no chosen model has, if it fits their base model.

    None where nothing was chosen.
    """
    if not verdict.entry:
        return ()
    catalogue = case.repository.catalogue()
    grounder = grounder_of(case.repository.version, catalogue.columns)
    ground = Grounded.of(
        _of_any_build(case.reading.intent), case.library, grounder, demanding=False
    )
    if not ground.left:
        return ()
    chosen = np.array([view.position for view in verdict.views], np.int64)
    found: dict[int, Addition] = {}
    for segment, word in _other_words(ground, chosen):
        card = _likeliest(ground, segment, word, chosen)
        if card is not None:
            view = CardView(catalogue, card)
            found.setdefault(card, Addition(view.card, word.mention.words))
    return tuple(found.values())[:_MOST]


def _of_any_build(intent: Intent) -> Intent:
    """An intent without the gates that speak of the chosen model."""
    return replace(
        intent,
        names=(),
        times=(),
        versions=(),
        order=None,
        bounds=(),
        kind=None,
        origin=None,
        unwanted_origin="",
        used=None,
        builds=Builds(),
    )


def _other_words(ground: Grounded, chosen: Array) -> Iterator[tuple[GroundedSegment, Ground]]:
    """The telling words that none of the chosen models has."""
    for segment in ground.segments:
        styled = segment.segment.look or segment.segment.after_in
        for word in segment.grounds:
            small = word.generic or word.mention.words in SMALL
            told = float(word.strength[chosen].max()) >= _TOLD
            if not small and not told and word.best >= (_A_STYLE if styled else A_NAME):
                yield segment, word


def _likeliest(
    ground: Grounded, segment: GroundedSegment, word: Ground, chosen: Array
) -> int | None:
    """The build of the likeliest LoRA that a word names, and that fits the chosen models."""
    columns = ground.left.columns
    named = np.zeros(len(columns.created_us), bool)
    named[ground.left.positions] = True
    named &= word.strength >= min(A_NAME, word.best)
    named &= columns.kind.where(lambda kind: kind == "lora")
    named &= ~np.isin(columns.lineage, columns.lineage[chosen])
    cards = np.flatnonzero(named)
    said = {part for one in ground.segments for each in one.grounds for part in _spelt(each)}
    of_that = columns.subjects.any_of(word.mention.subject)
    if word.mention.style:
        of_that = of_that | columns.styles.any_of(word.mention.style)
    called = [
        one
        for one in cards.tolist()
        if _is_half(columns.called[one], said)
        or (of_that[one] and not _spelt(word) & {*columns.called[one]})
    ]
    if not called:
        return None
    cover = segment.cover(np.array(called, np.int64))
    order = sorted(
        range(len(called)), key=lambda one: (cover[one], columns.order[called[one]]), reverse=True
    )
    for place in order:
        builds = ground.builds.by_base(ground.builds.of(called[place]))
        joined = together(columns, [*([one] for one in chosen.tolist()), builds])
        if joined:
            return next(one for one in joined if one in builds)
    return None


def _spelt(word: Ground) -> set[str]:
    return {*word.spelt, *word.mention.phrase}


def _is_half(called: tuple[str, ...], said: set[str]) -> bool:
    """Whether the request says at least half of a model's name."""
    telling = {one for one in called if one not in GENERIC}
    return len(telling & said) >= _HALF * len(telling)
