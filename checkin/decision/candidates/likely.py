"""The lineages that may be meant, the likeliest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...catalog.selection import CardSelection, CardView
from ..evidence.likelihood import probability
from .grounded import Grounded

_MAX_SHOWN = 20
SLIGHT = 0.05
"""The least likelihood of a model that is offered beside another."""


def likely(case: Grounded, least: float = 0.0) -> CardSelection:
    """The newest builds of the lineages that may be meant, the likeliest first.

    Those that are less likely than `least` are left out, and those of which no build is left: two
    parts of a request may each name a build of one lineage.
    """
    if case.found is None:
        return case.left[:0]
    chance = probability(case.odds)
    order = [one for one in np.argsort(-case.odds, kind="stable") if chance[one] >= least]
    builds = [case.builds.of(int(case.found.cards[one])) for one in order[:_MAX_SHOWN]]
    newest = [case.builds.best(one) for one in builds if len(one)]
    return case.left.at(np.array(newest, np.int64))


def ranked(case: Grounded, entries: Sequence[CardView]) -> CardSelection:
    """The same models, the likeliest first, of equals the newest."""
    selection = CardSelection.of(entries).newest_first()
    if case.found is None:
        return selection
    lineage = case.left.columns.lineage
    odds = dict(zip(lineage[case.found.cards].tolist(), case.odds.tolist(), strict=True))
    keys = np.array([-odds.get(int(lineage[one]), -np.inf) for one in selection.positions])
    return selection.at(selection.positions[np.argsort(keys, kind="stable")])
