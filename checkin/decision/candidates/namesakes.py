"""Models of one name in different senses: "rose" is a woman, a flower; "ghibli" a cat, a style."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...catalog.file_names import without_base
from ...lexicon import ING_NOUNS, with_hypernyms
from ...lexicon.spelling import name_words
from ..evidence.grounder import GENERIC, Ground, GroundedSegment
from ..evidence.spelt import A_NAME
from .grounded import Grounded
from .senses import called_so, is_personal


def namesakes(case: Grounded, card: int) -> list[int]:
    """The best builds of models that the request may mean as well as `card`, in another sense.

    None where another word of the request, or "my", tells them apart.
    """
    intent = case.intent
    if intent.names or intent.order or intent.origin == "trained":
        return []
    for segment in case.segments:
        for ground in segment.grounds:
            if segment.segment.part == "head" and _is_name(case, ground, card):
                return _others(case, segment, ground, card)
    return []


def of_one_bearer(case: Grounded, card: int) -> list[int]:
    """The best builds of models whose names say of a card no more than it says itself: canela_galga
    of canela, which was trained as "canela galga". Files of one bearer may be called in two ways.
    """
    columns, left = case.left.columns, case.left
    if case.intent.names or case.intent.order or not columns.trained[card]:
        return []
    own, called = {*columns.identity[card]}, {*columns.called[card]} - GENERIC
    heads = [one for one in case.segments if one.segment.part == "head"]
    named = [ground.strength >= A_NAME for one in heads[:1] for ground in one.grounds]
    fits = np.logical_and.reduce(named) if named else np.zeros(len(columns.created_us), bool)
    fits = fits & columns.trained & (columns.lineage != columns.lineage[card])
    fits &= ~columns.look.where(bool)
    found = []
    for lineage in left.where(fits).lineages().members() if called and left.where(fits) else ():
        other = case.builds.best(lineage.positions)
        title = left.catalogue.cards[other].title
        names = ({*columns.called[other]}, {without_base(one) for one in name_words(title)})
        if any(called < name <= own for name in names):
            found.append(other)
    return found


def shared_name(case: Grounded, cards: Sequence[int]) -> str:
    """The word of the request that is the name of all cards, for one of them a personal one."""
    for ground in (one for segment in case.segments for one in segment.grounds):
        named = (ground.strength[list(cards)] >= A_NAME).all()
        if named and any(_is_name(case, ground, card) for card in cards):
            return ground.mention.words
    return ""


def _is_name(case: Grounded, ground: Ground, card: int) -> bool:
    """Whether a word is the personal name of a card."""
    if len(ground.mention.phrase) != 1 or ground.strength[card] < A_NAME:
        return False
    return bool(is_personal(case.left.columns, ground.mention.phrase[0])[card])


def _others(case: Grounded, segment: GroundedSegment, name: Ground, card: int) -> list[int]:
    columns, left = case.left.columns, case.left
    word = name.mention.phrase[0]
    own = {"style", *GENERIC, *(part for kind in with_hypernyms((word,)) for part in kind)} - {word}
    called = called_so(columns, word, lambda said: {*said} - own == {word})
    called &= ~is_personal(columns, word)
    looks = columns.look.where(bool)
    found = []
    for fits, of_style in (
        (called & looks, True),
        (called & ~looks & ~columns.kinds.any_of(("being",)), False),
    ):
        builds = left.where(fits & (name.strength >= A_NAME))
        for lineage in builds.lineages().members() if builds else ():
            other = case.builds.best(lineage.positions)
            if not _told_apart(case, segment, name, card, other, of_style):
                found.append(other)
    return found


def _told_apart(
    case: Grounded, segment: GroundedSegment, name: Ground, card: int, other: int, of_style: bool
) -> bool:
    """Whether another word of the request fits a card better than its namesake.

    What follows the name of a style is what is drawn in it: "ghibli cat".
    """
    acts = any(
        one.words.endswith("ing") and one.is_scene and one.words not in ING_NOUNS
        for one in case.intent.mentions
    )
    if acts and not of_style:
        return True
    return any(
        ground.strength[card] > ground.strength[other]
        for one in case.segments
        for ground in one.grounds
        if ground is not name and not (of_style and one is segment)
    )
