"""The helpers that a request asks for by what they do, used with the models that it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...catalog.few_steps import few_steps
from ...catalog.selection import CardView
from ...language.helpers import Helper
from ...lexicon.base_models import shares_layers
from ...lexicon.english import word_set
from ...lexicon.sentences import listed, quoted, say
from ...lexicon.spelling import stems
from ..candidates.grounded import Grounded
from ..candidates.only_helps import only_helps
from ..decision import NearMiss
from ..verdict import Verdict
from .divided import apart

_SHORT = 2
"""The most words of a name that says only what a LoRA does: "better hands"."""


def within_helpers(case: Grounded) -> Grounded | None:
    """The request with the models alone that fit a helper of each sort that it asks for; None where
    it asks for none, or no model is left.
    """
    library, helpers = case.library, case.intent.helpers
    bases = library.columns.base_model
    fitting = np.ones(len(library.columns.lineage), bool)
    for helper in helpers:
        theirs = {one.card.base_model for one in _that_do(case, helper)}
        fit = {base for base in bases.values if any(shares_layers(base, one) for one in theirs)}
        fitting &= bases.where(fit.__contains__)
    left = library.where(fitting)
    return replace(case, library=left).read_as(case.intent) if helpers and left else None


def with_helpers(case: Grounded, verdict: Verdict, what_fits: bool) -> Verdict:
    """The models of a verdict with the newest helper of each sort that fits them.

    Where there is none, the rest is used only if the user wants `what_fits`.
    """
    for helper in case.intent.helpers if verdict.entry else ():
        verdict = _with(case, verdict, helper, what_fits)
        if verdict.declines:
            break
    return verdict


def _with(case: Grounded, verdict: Verdict, helper: Helper, what_fits: bool) -> Verdict:
    views = verdict.views
    if any(_does(case, one, helper) for one in views):
        return verdict
    found = _that_do(case, helper)
    fitting = [one for one in found if _fits(one, views)]
    if fitting:
        newest = max(fitting, key=lambda one: _closest(case, one, helper))
        asked = say("{words}, as asked", words=quoted(case.their(helper.words)))
        why = f"{verdict.why} {newest.card.name}: {asked}."
        return replace(verdict, why=why, further=(*verdict.further, newest))
    words = quoted(case.their(helper.words))
    if what_fits:
        left_out = say("Not here, or for another base model, so left out: {words}.", words=words)
        return replace(verdict, notices=(left_out, *verdict.notices))
    if found:
        return apart([*views, found[0]])
    names = listed([one.card.name for one in views], "and")
    why = say("There is no {words} here. The rest would be {names}.", words=words, names=names)
    return Verdict(why, near=tuple(NearMiss(one.card, words) for one in views))


def _that_do(case: Grounded, helper: Helper) -> list[CardView]:
    loras = case.library.where(case.library.columns.kind.where(lambda kind: kind == "lora"))
    return [one for one in loras if _does(case, one, helper)]


def _does(case: Grounded, view: CardView, helper: Helper) -> bool:
    """Whether a LoRA does what the helper is for, a number of steps as asked."""
    if helper.what == "speed":
        few = few_steps(view.card)
        return few is not None and helper.steps in (None, few.steps)
    called = {*case.library.columns.called[view.position]}
    is_short = len(called) <= _SHORT or only_helps(case, view.position)
    return is_short and not called.isdisjoint(word_set("helpers", helper.what, "named"))


def _closest(case: Grounded, view: CardView, helper: Helper) -> tuple[int, int]:
    """How many words of its name are said, and how new it is."""
    columns = case.library.columns
    said = {*columns.called[view.position]} & {*stems(helper.words)}
    return len(said), int(columns.order[view.position])


def _fits(view: CardView, others: Sequence[CardView]) -> bool:
    return all(shares_layers(view.card.base_model, one.card.base_model) for one in others)
