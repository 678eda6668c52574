"""What the other words and noun phrases of a request say of one noun phrase.

"Noodle with the shaved head": which Noodle is meant stands beside the name. "The ace pilot with the
red eyepatch": that both phrases mean her makes it likelier that each does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...catalog.columns import Array
from ...lexicon.base_models import shares_layers
from ..candidates.grounded import Grounded
from ..evidence.features import NAMES
from ..evidence.grounder import IS, Ground
from ..evidence.spelt import A_NAME
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


@dataclass(frozen=True)
class Company:
    """All noun phrases of a request, and what is computed once for all of them."""

    case: Grounded
    phrases: Sequence[NounPhrase]
    odds: Array
    """Float [phrases]: how likely each stands for a model, as far as it says itself."""

    @cached_property
    def lineages(self) -> Array:
        """Int [phrases]: that of the likeliest candidate of each."""
        return self.case.left.columns.lineage[np.array(self._cards, np.int64)]

    @cached_property
    def lineage_at(self) -> dict[int, int]:
        """The same by the place of the phrase's segment."""
        places = (one.place for one in self.phrases)
        return dict(zip(places, self.lineages.tolist(), strict=True))

    @cached_property
    def bases(self) -> list[frozenset[str | None]]:
        """The base models of the likeliest candidate of each phrase."""
        return [_bases(self.case, card) for card in self._cards]

    @cached_property
    def shown(self) -> Array:
        """Float [cards]: how much of all segments each card only shows."""
        return np.sum([self.shown_in(one) for one in range(len(self.case.segments))], axis=0)

    def shown_in(self, place: int) -> Array:
        """The same of one segment."""
        words = self.case.segments[place].grounds
        parts = (_weight(one) * ((one.strength > 0) & (one.strength < IS)) for one in words)
        return np.asarray(sum(parts, np.zeros(len(self.case.left.columns.lineage))))

    @cached_property
    def _cards(self) -> list[int]:
        return [int(one.found.cards[one.order[0]]) for one in self.phrases]


def _weight(word: Ground) -> float:
    return word.rarity * (0.5 if word.generic else 1.0)


def candidate_features(company: Company, place: int) -> Array:
    """Float [candidates, CANDIDATE_NAMES] of the likeliest MAX_CANDIDATES of one phrase."""
    case, phrase = company.case, company.phrases[place]
    order = phrase.order[:MAX_CANDIDATES]
    cards, values = phrase.found.cards[order], phrase.found.values[order]
    segment, looks = phrase.segment.segment, phrase.looks[order]
    near, far = (
        np.zeros((3, len(order))),
        company.shown[cards] - company.shown_in(phrase.place)[cards],
    )
    lineage = case.left.columns.lineage[cards]
    for number in {phrase.place - 1, phrase.place + 1} & {*range(len(case.segments))}:
        far -= company.shown_in(number)[cards]
        its = lineage == company.lineage_at.get(number, -1)  # "nan in her kitchen": nans_kitchen
        for word in case.segments[number].grounds:
            strength, weight = word.strength[cards], _weight(word)
            near[0] += weight * ((strength >= A_NAME) & ~its)
            near[1] += weight * ((strength >= IS) & (strength < A_NAME))
            near[2] += weight * ((strength > 0) & (strength < IS))
    near, far = np.minimum(near, _MOST_NEAR), np.clip(far, 0.0, _MOST_NEAR)
    own = phrase.alone.odds[order]
    builds = [len(case.builds.of(card)) for card in cards.tolist()]
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
        "fits": _fits(company, place, cards.tolist()),
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
    company = Company(case, phrases, odds)
    for place, phrase in enumerate(phrases):
        said = candidate_features(company, place) @ weights
        chance = np.exp(said - said.max())
        chance = chance / chance.sum()
        best = np.argsort(-chance, kind="stable")
        order = np.concatenate([phrase.order[: len(best)][best], phrase.order[len(best) :]])
        shares = np.zeros(len(phrase.found.cards))
        shares[phrase.order[: len(best)]] = chance
        found.append(replace(phrase, order=order, shares=shares))
    return found


def company_features(case: Grounded, phrases: Sequence[NounPhrase], odds: Array) -> Array:
    """Float [phrases, COMPANY_NAMES]; `odds` as in `Company`."""
    company = Company(case, phrases, odds)
    lineages = company.lineages
    found = np.zeros((len(phrases), len(COMPANY_NAMES)))
    for place, phrase in enumerate(phrases):
        again = np.flatnonzero(lineages == lineages[place])
        again = again[again != place]
        top = int(phrase.order[0])
        found[place] = (
            float(bool(len(again))),
            np.clip(odds[again].max(initial=_LEAST), _LEAST, _MOST),
            _fits(company, place, [int(phrase.found.cards[top])])[0],
            phrase.shares[top],
        )
    return found


def _fits(company: Company, place: int, cards: Sequence[int]) -> Array:
    """Float [cards]: the share of the other phrases' models that each may be used with.

    Of those phrases which rather stand for a model; 1 where there are none.
    """
    lineages = company.lineages
    sure = np.flatnonzero((lineages != lineages[place]) & (company.odds > 0))
    others = Counter(company.bases[one] for one in sure.tolist())
    if not others:
        return np.ones(len(cards))
    fitting = [
        sum(count * _fit(_bases(company.case, card), other) for other, count in others.items())
        for card in cards
    ]
    return np.array(fitting) / others.total()


def _fit(bases: frozenset[str | None], others: frozenset[str | None]) -> bool:
    return any(shares_layers(one, other) for one in bases for other in others)


def _bases(case: Grounded, card: int) -> frozenset[str | None]:
    """The base models that the builds of a card's lineage are for."""
    builds = case.builds.of(card)
    return frozenset(case.left.columns.base_model[build] for build in builds.tolist())
