"""A checkpoint that a request names for what no model is of: "an octopus on juggernaut"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from ...language.phrases import Mention
from ...lexicon.english import one_of
from ...lexicon.model_kinds import OTHER_KINDS
from ..candidates.grounded import Grounded
from ..candidates.relation import begins_with_relation
from ..evidence.grounder import GENERIC, IS, GroundedSegment
from ..evidence.spelt import A_NAME

_ON = {"on", "with", "using", "in", "via", "through"}
_ONE = re.compile(rf"\s+{one_of('choosing', 'after a name')}\b", re.IGNORECASE)
_FEW_WORDS = 3
"""A clause of more words does not only name a checkpoint."""


def drawn_on(case: Grounded) -> list[int]:
    """The newest builds of the checkpoints that are called by their whole names, after "on", or by
    words of their names alone in a clause: "a cottage in the woods, snow. juggernaut".

    None for what the user says to have trained or downloaded, for relatives, or where a model may
    be what the request is of.
    """
    columns, mentions = case.left.columns, case.intent.mentions
    alone = [(one, cards) for one in case.segments if (cards := _called_alone(case, one))]
    called = [one for one, _ in alone]
    head = [one for one in case.segments if one.segment.part != "scene" or one.segment.look]
    rest = [ground.best for one in head if one not in called for ground in one.grounds]
    others = any(OTHER_KINDS & {*word.phrase} for word in mentions)  # "a controlnet for flux"
    of_somebody = case.intent.origin or begins_with_relation(case)
    if of_somebody or max(rest, default=0.0) >= IS or others:
        return []
    if case.found is None:
        return _of_base(case)
    named = [
        {word for ground in one.grounds for word in (*ground.mention.phrase, *ground.spelt)}
        for one in case.segments
        if one.grounds
        and _ON & {small.words for small in leading(mentions, one.grounds[0].mention)}
    ]
    on = [
        case.builds.best_of(card)
        for card in case.found.cards.tolist()
        if columns.kind[card] == "checkpoint"
        and (name := {*columns.called[card]} - GENERIC)
        and any(name <= words for words in named)
    ]
    return on or (alone[0][1] if len(alone) == 1 else _of_base(case))


def _called_alone(case: Grounded, part: GroundedSegment) -> list[int]:
    """The newest builds of the checkpoints, if no LoRA has all words of a clause in its name."""
    words = [ground.strength for ground in part.grounds]
    if part.segment.part == "scene" or not words or len(words) > _FEW_WORDS:
        return []
    left = case.left.positions
    named = left[np.min(words, axis=0)[left] >= A_NAME]
    kinds = case.left.columns.kind
    if not len(named) or any(kinds[card] != "checkpoint" for card in named.tolist()):
        return []
    return [*dict.fromkeys(case.builds.best_of(card) for card in named.tolist())]


def _of_base(case: Grounded) -> list[int]:
    """The checkpoint that a base model which is said is known by: ponyDiffusionV6XL for "pony v6",
    but none for "the flux one". Of several, those with most words of the request in their names,
    and none of what it does not want: "qwen, not the 2512".
    """
    intent, columns = case.intent, case.left.columns
    checkpoints = case.left.where(columns.kind.where(lambda kind: kind == "checkpoint"))
    said_bases = [one for one in intent.said if one.what == "base model"]
    of_a_model = any(_ONE.match(intent.request, one.end) for one in said_bases)
    if not (intent.base_model and said_bases) or of_a_model:
        return []
    refused = {one for term in intent.unwanted for one in _words(term.words)}
    said = _words(intent.english) - refused
    named = [_words(one.card.name) for one in checkpoints]
    fits = [-1 if words & refused else len(words & said) for words in named]
    most = max(fits, default=-1)
    fitting = np.array([count == most >= 0 for count in fits], bool)
    left = checkpoints.at(checkpoints.positions[fitting])
    lineages = [one.positions for one in left.lineages().members()] if left else []
    called = intent.base_model.rstrip("0123456789.")
    so = [
        one
        for one in lineages
        if case.left.catalogue.cards[int(one[0])].name.casefold().startswith(called)
    ]
    found = so if len(so) == 1 else lineages
    return [case.builds.best(one) for one in found] if len(found) == 1 else []


def _words(text: str) -> set[str]:
    return {*re.findall(r"[^\W_]+", text.casefold())}


def leading(mentions: Sequence[Mention], first: Mention) -> list[Mention]:
    """The small words right before the `first` word of a phrase, the nearest first."""
    before = [one for one in mentions if one.first < first.first]
    return list(takewhile(lambda one: one.kind == "function", reversed(before)))
