"""Whom a user means by a relation that no model is named by: "my wife" where one is of a woman,
and "me".
"""

from __future__ import annotations

from ...language.phrases import MYSELF
from ...lexicon.english import word_set
from ...lexicon.kin import KIN, RELATIVES
from .grounded import Grounded

_SEX = {"woman": word_set("kin", "women"), "man": word_set("kin", "men")}
_RELATIONS = _SEX["woman"] | _SEX["man"]
_GROWN_UP, _CHILDREN = word_set("kin", "grown up"), word_set("kin", "children")
_ANYBODY = word_set("kin", "people") | {MYSELF}


def related(case: Grounded) -> list[int]:
    """The newest builds of the user's own models of people who may have that relation, or be them.

    Empty where the request speaks of nobody so.
    """
    heads = [one.segment.words[-1].words for one in case.segments if one.segment.part == "head"]
    kinds = {kind for word in heads[:1] if (kind := _kind(word))}
    first = [one.words for one in case.intent.mentions[:1]]
    begun = first == heads[:1] and not _RELATIONS.isdisjoint(first)
    own = case.intent.origin == "trained" or heads[:1] == [MYSELF] or begun
    if not (kinds and case.left and own):
        return []
    columns, same = case.left.columns, {heads[0], *KIN.get(heads[0], ())}
    fits = columns.trained & columns.kinds.any_of(kinds)
    if same & _GROWN_UP:
        fits &= ~columns.kinds.any_of(_CHILDREN)
    others = {"me", *KIN} - same
    people = case.left.where(fits & ~columns.identity.any_of(others))
    lineages = people.lineages().members() if people else ()
    builds = [case.builds.best_of(int(one.positions[0])) for one in lineages]
    return sorted(builds, key=lambda one: -columns.order[one])


def oneself(case: Grounded) -> list[int]:
    """The newest builds of the user's models of "me", if the request is of that first."""
    columns = case.left.columns
    mine = columns.identity.any_of({"me"}) | columns.tags.any_of({"me"})
    people = case.left.where(columns.trained & mine)
    if not (people and is_of_oneself(case)):
        return []
    return [case.builds.best_of(int(one.positions[0])) for one in people.lineages().members()]


def is_of_oneself(case: Grounded) -> bool:
    """Whether the request is of "me" first."""
    heads = [one.segment.words[0].words for one in case.segments if one.segment.part == "head"]
    return heads[:1] == [MYSELF]


def begins_with_relation(case: Grounded) -> bool:
    """Whether the request begins with a relation, who is then the user's: "husband at work"."""
    return any(one.words in RELATIVES for one in case.intent.mentions[:1])


def _kind(word: str) -> str | None:
    """What a model of somebody with that relation is of."""
    groups = {word, *KIN.get(word, ())}
    sexes = [sex for sex, words in _SEX.items() if groups & words]
    return sexes[0] if sexes else "person" if word in _ANYBODY else None
