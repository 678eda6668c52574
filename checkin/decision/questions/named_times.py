"""Words for times that are names of models too: "the christmas bear", "april on a bench"."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from datetime import datetime

from ...lexicon.sentences import listed, quoted, say
from ..candidates.grounded import Grounded
from ..evidence.grounder import IS
from ..evidence.spelt import A_NAME
from ..verdict import Decided, Verdict
from .differing import meant, question_of


def decide_named_times(
    case: Grounded, now: datetime, decide: Callable[[Grounded], Decided]
) -> Decided:
    """The decision where words for times may be names.

    The name counts only where one model has all that the request calls it by. Where the time fits
    another model, it is a question.
    """
    by_time, of_time = decide(case)
    intent = case.intent
    if intent.otherwise is None:
        return by_time, of_time
    otherwise = replace(
        intent.otherwise,
        base_model=intent.base_model,
        other_bases=intent.other_bases,
        connected=intent.connected,
    )
    by_name, of_name = decide(case.read_as(otherwise))
    named = meant(of_name, by_name)
    times = {word for term in intent.times for word in term.words.casefold().split()}
    if (
        by_name.further
        and by_time.declines
        and any(_is_named(of_name, one, times) for one in named)
    ):
        return replace(by_name, times_are_names=True), of_name  # "jan klaassen and katrijn"
    if by_name.further or not all(_has_all(of_name, one, times) for one in named):
        return by_time, of_time
    if not named or set(named) <= set(meant(of_time, by_time)):
        return by_time, of_time
    if by_time.declines:
        return replace(by_name, times_are_names=True), of_name
    models = list(dict.fromkeys([*meant(of_time, by_time)[:1], *named]))
    words = listed([quoted(case.their(term.words)) for term in intent.times], "and")
    why = say(
        "{words} may be a time or a name: {number} models fit.", words=words, number=len(models)
    )
    whole = replace(case, left=case.library)
    return Verdict(why, question=question_of(whole, models, now)), whole


def _is_named(case: Grounded, card: int, times: Set[str]) -> bool:
    """Whether a word for a time is in the name of a card."""
    every = [ground for one in case.segments for ground in one.grounds]
    said = [ground for ground in every if ground.mention.words.casefold() in times]
    return any(ground.strength[card] >= A_NAME for ground in said)


def _has_all(case: Grounded, card: int, times: Set[str]) -> bool:
    """Whether a card has all words of the request that name models, and those for times; one of
    them in its name.
    """
    heads = [ground for ground in case.head_grounds if not ground.generic and ground.best >= IS]
    every = [ground for one in case.segments for ground in one.grounds]
    heads += [ground for ground in every if ground.mention.words.casefold() in times]
    strengths = [float(ground.strength[card]) for ground in heads]
    return min(strengths, default=0.0) >= IS and max(strengths, default=0.0) >= A_NAME
