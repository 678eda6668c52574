"""A style that is a model of its own, in the noun phrase of another model: "my ink bear"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from .builds import together
from .evidence import GENERIC, IS
from .grounded import Grounded
from .senses import called_so
from .spelt import A_NAME

_LACKED = 0.3


def with_named_style(case: Grounded, card: int) -> tuple[int, ...]:
    """The models to use for a request that means `card`: with the style that it calls by its name.

    The style must be the only one of that name, and for the same base model; the card has none of
    that name.
    """
    columns, left = case.left.columns, case.left
    looks = columns.look.where(bool)
    builds = case.builds.of(card)
    for segment in case.segments:
        *before, last = segment.grounds
        if segment.segment.part != "head" or last.strength[card] < IS or looks[card]:
            continue
        for ground in before:
            words = ground.mention.phrase
            called = called_so(columns, words[0], partial(_is_called, words))
            styles = left.where(looks & called & (ground.strength >= A_NAME))
            lacks = ground.strength[builds].max() < _LACKED
            if lacks and styles and len(styles.lineages()) == 1:
                both = [case.builds.by_base(builds), case.builds.by_base(styles.positions)]
                return together(columns, both) or (card,)
    return (card,)


def _is_called(words: Sequence[str], called: Sequence[str]) -> bool:
    return {*called} - GENERIC == {*words}
