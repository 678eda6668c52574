"""A checkpoint that a request names for what no model is of: "an octopus on juggernaut"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ..language.phrases import Mention
from ..lexicon.model_kinds import OTHER_KINDS
from .evidence import GENERIC, IS
from .grounded import Grounded

_ON = {"on", "with", "using", "in", "via", "through"}


def drawn_on(case: Grounded) -> list[int]:
    """The newest builds of the checkpoints that are called by their whole names, after "on".

    None for what the user says to have trained or downloaded, or where a model may be what the
    request is of.
    """
    columns, mentions = case.left.columns, case.intent.mentions
    known = max((one.best for one in case.head_grounds), default=0.0)
    others = any(OTHER_KINDS & {*word.phrase} for word in mentions)  # "a controlnet for flux"
    if case.intent.origin or known >= IS or others:
        return []
    if case.intent.base_model and any(one.what == "base model" for one in case.intent.said):
        return _of_base(case, case.intent.base_model)
    if case.found is None:
        return []
    named = [
        {word for ground in one.grounds for word in (*ground.mention.phrase, *ground.spelt)}
        for one in case.segments
        if one.grounds
        and _ON & {small.words for small in leading(mentions, one.grounds[0].mention)}
    ]
    return [
        case.builds.best_of(card)
        for card in case.found.cards.tolist()
        if columns.kind[card] == "checkpoint"
        and (called := {*columns.called[card]} - GENERIC)
        and any(called <= words for words in named)
    ]


def _of_base(case: Grounded, base: str) -> list[int]:
    """The checkpoint that a base model is known by: ponyDiffusionV6XL for "pony v6"."""
    columns = case.left.columns
    checkpoints = case.left.where(columns.kind.where(lambda kind: kind == "checkpoint"))
    lineages = [one.positions for one in checkpoints.lineages().members()] if checkpoints else []
    called = base.rstrip("0123456789.")
    so = [
        one
        for one in lineages
        if case.left.catalogue.cards[int(one[0])].name.casefold().startswith(called)
    ]
    found = so if len(so) == 1 else lineages
    return [case.builds.best(one) for one in found] if len(found) == 1 else []


def leading(mentions: Sequence[Mention], first: Mention) -> list[Mention]:
    """The small words right before the `first` word of a phrase, the nearest first."""
    before = [one for one in mentions if one.first < first.first]
    return list(takewhile(lambda one: one.kind == "function", reversed(before)))
