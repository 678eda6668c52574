"""A style that is a model of its own, in the noun phrase of another model: "my ink bear"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...language.phrases import Mention
from ..evidence.grounder import GENERIC, IS, LACKED
from ..evidence.spelt import A_NAME
from .builds import together
from .grounded import Grounded
from .senses import called_so


def with_named_style(case: Grounded, card: int) -> tuple[int, ...]:
    """The models to use for a request that means `card`: with the style that it calls by its name
    right beside it, or with what is to be drawn if `card` is a style.

    It must be the only one of that name, and for the same base model; the card has none of that
    name.
    """
    columns, left = case.left.columns, case.left
    looks = columns.look.where(bool)
    builds = case.builds.of(card)
    for segment in case.segments:
        grounds = segment.grounds
        own = [one for one in grounds if one.strength[card] >= IS]
        if segment.segment.part != "head" or not own:
            continue
        for ground in grounds:
            words = ground.mention.phrase
            others = left.where((looks != looks[card]) & (ground.strength >= A_NAME))
            if not looks[card]:  # of one person there may be many, called by more than the name
                others = others.where(called_so(columns, words[0], partial(_is_called, words)))
            lacks = ground.strength[builds].max() < LACKED
            beside = any(_are_beside(ground.mention, one.mention) for one in own)
            if lacks and beside and others and len(others.lineages()) == 1:
                both = [case.builds.by_base(builds), case.builds.by_base(others.positions)]
                return together(columns, both[::-1] if looks[card] else both) or (card,)
    return (card,)


def _are_beside(one: Mention, other: Mention) -> bool:
    return one.last + 1 == other.first or other.last + 1 == one.first


def _is_called(words: Sequence[str], called: Sequence[str]) -> bool:
    names = {*called} - GENERIC
    return names == {*words} or "".join(called) == "".join(words)
