"""A checkpoint that a request names for what no model is of: "an octopus on juggernaut"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ..language.phrases import Mention
from .evidence import GENERIC, IS
from .grounded import Grounded

_ON = {"on", "with", "using", "in", "via", "through"}


def drawn_on(case: Grounded) -> list[int]:
    """The newest builds of the checkpoints that are called by their whole names, after "on".

    None for what the user says to have trained, or where a model may be what the request is of.
    """
    columns, mentions = case.left.columns, case.intent.mentions
    known = max((one.best for one in case.head_grounds), default=0.0)
    if case.found is None or case.intent.origin == "trained" or known >= IS:
        return []
    named = [
        {word for ground in one.grounds for word in (*ground.mention.phrase, *ground.spelt)}
        for one in case.segments
        if one.grounds
        and _ON & {small.words for small in leading(mentions, one.grounds[0].mention)}
    ]
    return [
        case.chooser.best_build(case.chooser.builds(card))
        for card in case.found.cards.tolist()
        if columns.kind[card] == "checkpoint"
        and (called := {*columns.called[card]} - GENERIC)
        and any(called <= words for words in named)
    ]


def leading(mentions: Sequence[Mention], first: Mention) -> list[Mention]:
    """The small words right before the `first` word of a phrase, the nearest first."""
    before = [one for one in mentions if one.first < first.first]
    return list(takewhile(lambda one: one.kind == "function", reversed(before)))
