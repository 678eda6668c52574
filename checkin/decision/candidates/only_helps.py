"""Models that draw nothing of their own: LoRAs for few steps, and those that mend hands."""

from __future__ import annotations

from ...catalog.few_steps import few_steps
from ...lexicon.english import word_set
from .grounded import Grounded

_MENDS = word_set("beside", "mends")


def only_helps(case: Grounded, card: int) -> bool:
    """Whether a model draws nothing of its own: a LoRA for few steps, or one that mends."""
    called = {*case.left.columns.called[card]}
    return not _MENDS.isdisjoint(called) or few_steps(case.left.catalogue.cards[card]) is not None
