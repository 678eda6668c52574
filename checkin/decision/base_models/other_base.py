"""Models that a request names, and that were left out because they are for another base model."""

from __future__ import annotations

import numpy as np

from ...catalog.selection import CardView
from ...lexicon.base_models import spoken
from ...lexicon.sentences import say
from ...lexicon.spelling import stems
from ..candidates.grounded import Grounded
from ..candidates.said_outright import said_names
from ..verdict import Verdict

_OF_BASE = ("connected", "base model")
"""The kinds of gates that say for which base model."""


def named_but_for_another_base(case: Grounded, verdict: Verdict) -> tuple[str, ...]:
    """The ids of models that a request names, which are left out for their base model, where those
    that the verdict selects are called by less of it: lena_park for SDXL, beside lena_schmidt.
    Words for a look are no name: "retro anime" for Pony may be 90s_retro_pony.
    """
    if not verdict.entry or not any(one.kind in _OF_BASE for one in case.gates):
        return ()
    columns, called = case.library.columns, case.library.columns.called
    chosen = {word for view in verdict.views for word in columns.called[view.position]}
    names = {one for one in said_names(called.values, case.intent) if not {*one} <= chosen}
    left_out = case.library.where(called.where(names.__contains__) & ~columns.look.where(bool))
    if not left_out or np.isin(left_out.positions, case.left.positions).any():
        return ()
    return left_out.ids()


def called_but_for_another_base(case: Grounded, word: str) -> CardView | None:
    """The newest model that is called by a word alone, where it is left out for its base model."""
    if not any(one.kind in _OF_BASE for one in case.gates):
        return None
    called = case.library.columns.called
    found = case.library.where(called.where(lambda one: one == stems(word)))
    here = np.isin(found.positions, case.left.positions).any()
    return found.newest() if len(found) and not here else None


def for_another_base(model: CardView) -> str:
    """That a model is not used, as the others are for another base model."""
    return say(
        "{name} is not used: it is for {base}.",
        name=model.card.name,
        base=spoken(model.card.base_model),
    )
