"""What the other words and noun phrases of a request say of one noun phrase.

"Noodle with the shaved head": which Noodle is meant stands beside the name. "The ace pilot with the
red eyepatch": that both phrases mean her makes it likelier that each does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..catalog.columns import Array
from ..lexicon.base_models import shares_layers
from .evidence import A_NAME, IS
from .features import NAMES
from .grounded import Grounded
from .noun_phrases import NounPhrase

CANDIDATE_NAMES = (
    "odds near_name near_is near_shown far_shown met says style look_asked look_unasked trained "
    "downloaded fits builds"
).split()
"""What the candidates of a noun phrase are compared by."""
COMPANY_NAMES = "named_again again_odds fits_others sure".split()
"""What else says whether it stands for the likeliest of them."""
MAX_CANDIDATES = 10
_SAYS, _STYLE, _UNASKED, _TRAINED, _DOWNLOADED = map(
    NAMES.index, ("says", "style_fits", "look_unasked", "trained", "downloaded")
)
_MOST_NEAR = 2.0
_FURTHEST = -8.0
_LEAST, _MOST = -3.0, 6.0
"""The log-odds of another phrase that count."""


def candidate_features(
    case: Grounded, phrases: Sequence[NounPhrase], odds: Array, place: int
) -> Array:
    """Float [candidates, CANDIDATE_NAMES] of the likeliest MAX_CANDIDATES of `phrases[place]`.

    `odds`, float [phrases]: how likely each stands for a model, as far as it says itself.
    """
    phrase = phrases[place]
    order = phrase.order[:MAX_CANDIDATES]
    cards, values = phrase.found.cards[order], phrase.found.values[order]
    segment, looks = phrase.segment.segment, phrase.looks[order]
    near, far = np.zeros((3, len(order))), np.zeros(len(order))
    lineages, lineage = _likeliest_lineages(case, phrases), case.left.columns.lineage[cards]
    of_another = {one.place: lineage == own for one, own in zip(phrases, lineages, strict=True)}
    for number, other in enumerate(case.segments):
        if number == phrase.place:
            continue
        for word in other.grounds:
            strength = word.strength[cards]
            weight = word.rarity * (0.5 if word.generic else 1.0)
            if abs(number - phrase.place) == 1:
                its = of_another.get(number, False)  # "nan in her kitchen": nans_kitchen
                near[0] += weight * ((strength >= A_NAME) & ~np.asarray(its))
                near[1] += weight * ((strength >= IS) & (strength < A_NAME))
                near[2] += weight * ((strength > 0) & (strength < IS))
            else:
                far += weight * ((strength > 0) & (strength < IS))
    near, far = np.minimum(near, _MOST_NEAR), np.minimum(far, _MOST_NEAR)
    own = phrase.alone.odds[order]
    builds = [len(case.chooser.builds(card)) for card in cards.tolist()]
    met = [one.strength[cards] > 0 for one in phrase.words]
    columns = {
        "odds": np.maximum(own - own.max(), _FURTHEST),
        "near_name": near[0],
        "near_is": near[1],
        "near_shown": near[2],
        "far_shown": far,
        "met": np.mean(met, axis=0),
        "says": values[:, _SAYS],
        "style": values[:, _STYLE],
        "look_asked": looks * float(segment.look or segment.after_in),
        "look_unasked": values[:, _UNASKED],
        "trained": values[:, _TRAINED],
        "downloaded": values[:, _DOWNLOADED],
        "fits": _fits(case, phrases, odds, place, cards.tolist()),
        "builds": np.log(np.maximum(builds, 1)),
    }
    return np.stack([columns[name] for name in CANDIDATE_NAMES], axis=1)


def with_likeliest_first(
    case: Grounded, phrases: Sequence[NounPhrase], odds: Array, weights: Array
) -> list[NounPhrase]:
    """The phrases, their candidates in order of how likely each is meant, as all words say.

    `weights`, float [CANDIDATE_NAMES].
    """
    found = []
    for place, phrase in enumerate(phrases):
        said = candidate_features(case, phrases, odds, place) @ weights
        chance = np.exp(said - said.max())
        chance = chance / chance.sum()
        best = np.argsort(-chance, kind="stable")
        order = np.concatenate([phrase.order[: len(best)][best], phrase.order[len(best) :]])
        shares = np.zeros(len(phrase.found.cards))
        shares[phrase.order[: len(best)]] = chance
        found.append(replace(phrase, order=order, shares=shares))
    return found


def company_features(case: Grounded, phrases: Sequence[NounPhrase], odds: Array) -> Array:
    """Float [phrases, COMPANY_NAMES]; `odds` as in `candidate_features`."""
    lineages = _likeliest_lineages(case, phrases)
    found = np.zeros((len(phrases), len(COMPANY_NAMES)))
    for place, phrase in enumerate(phrases):
        again = np.flatnonzero(lineages == lineages[place])
        again = again[again != place]
        top = int(phrase.order[0])
        found[place] = (
            float(bool(len(again))),
            np.clip(odds[again].max(initial=_LEAST), _LEAST, _MOST),
            _fits(case, phrases, odds, place, [int(phrase.found.cards[top])])[0],
            phrase.shares[top],
        )
    return found


def _fits(
    case: Grounded, phrases: Sequence[NounPhrase], odds: Array, place: int, cards: Sequence[int]
) -> Array:
    """Float [cards]: the share of the other phrases' models that each may be used with.

    Of those phrases which rather stand for a model; 1 where there are none.
    """
    lineages = _likeliest_lineages(case, phrases)
    sure = np.flatnonzero((lineages != lineages[place]) & (odds > 0))
    sure_phrases = [phrases[one] for one in sure.tolist()]
    others = [_bases(case, int(one.found.cards[one.order[0]])) for one in sure_phrases]
    if not others:
        return np.ones(len(cards))
    shares = [[_fit(_bases(case, card), other) for other in others] for card in cards]
    return np.mean(shares, axis=1)


def _likeliest_lineages(case: Grounded, phrases: Sequence[NounPhrase]) -> Array:
    cards = [int(one.found.cards[one.order[0]]) for one in phrases]
    return case.left.columns.lineage[np.array(cards, np.int64)]


def _fit(bases: set[str | None], others: set[str | None]) -> bool:
    return any(shares_layers(one, other) for one in bases for other in others)


def _bases(case: Grounded, card: int) -> set[str | None]:
    """The base models that the builds of a card's lineage are for."""
    builds = case.chooser.builds(card)
    return {case.left.columns.base_model[build] for build in builds.tolist()}
