"""Learn whether a noun phrase of a request stands for a model, from requests to the open libraries.

A row is a noun phrase with its likeliest model; its label is whether the best accepted outcome
names that model, or another likely one where it is a look. Two logistic regressions, as in
learn.py, weigh a phrase by itself and among the others of its request. Between them a conditional
one weighs the candidates of a phrase, whose label is the model that it stands for. What a later one
sees of those before comes from weights that were learned without that library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...checkin.catalog.columns import Array
from ...checkin.decision.candidates.grounded import Grounded
from ...checkin.decision.evidence.likelihood import Likelihood, likelihood, probability
from ...checkin.decision.several import stands
from ...checkin.decision.several.company import MAX_CANDIDATES, Company, candidate_features
from ...checkin.decision.several.noun_phrases import NounPhrase, noun_phrases
from ...checkin.decision.several.parts import POSSIBLE, for_parts
from ...checkin.decision.several.stands import weighed
from .choice_fit import fit_choice
from .further_sets import LEARNED_FROM, asked
from .learn import Lesson, fit
from .library import Request
from .open_library import OpenLibrary, open_half

WEIGHTS = Path(stands.__file__).with_name("part_weights.json")
_L2 = 0.3
"""The penalty on the square of each weight."""
_L2_OF_CHOICE = 3.0
_OF_SEVERAL = 1.5
"""The weight of a phrase of a request that means several models, beside one of any other."""

Weights = Mapping[str, Array]
"""As `stands.part_weights`."""


@dataclass
class Asked:
    """The noun phrases of one request, and the lineages that it means."""

    case: Grounded
    phrases: Sequence[NounPhrase]
    meant: set[int]
    others: set[int]
    """Those that only further accepted outcomes name."""
    selects: bool
    """Whether the best outcome is that models are selected."""
    weight: float

    @cached_property
    def features(self) -> Array:
        """Float [phrases, names] of each phrase by itself."""
        return np.array([one.features(self.case) for one in self.phrases])

    @cached_property
    def stands(self) -> Array:
        """Of each phrase, as `stand`."""
        return self.stand(self.phrases)

    def stand(self, phrases: Sequence[NounPhrase]) -> Array:
        """Float [phrases]: 1 for one that stands for its likeliest model or a likely look, 0 for
        another, NaN where only a further accepted outcome names its model.
        """
        return np.array([self._stands(one) for one in phrases])

    def _stands(self, phrase: NounPhrase) -> float:
        lineage, top = self.case.left.columns.lineage[phrase.found.cards], phrase.order[0]
        likely = probability(phrase.alone.odds[phrase.order]) >= POSSIBLE
        of_a_look = phrase.order[likely | (phrase.order == top)]
        own = {*lineage[of_a_look if phrase.looks[top] else phrase.order[:1]].tolist()}
        unsure = int(lineage[top]) in self.others
        return np.nan if unsure else float(not self.meant.isdisjoint(own))

    def choices(self, alone: Array) -> Iterator[tuple[Array, Array]]:
        """(features, which of them is meant) of the candidates of each phrase that stands for one.

        float [candidates, names], bool [candidates]. A model that is meant stands for the phrase
        that alone says it most. `alone`: weights of a phrase by itself.
        """
        if not self.selects:
            return
        odds, lineage = weighed(self.features, alone), self.case.left.columns.lineage
        likely = [
            dict(zip(lineage[one.found.cards].tolist(), probability(one.alone.odds), strict=True))
            for one in self.phrases
        ]
        company = Company(self.case, self.phrases, odds)
        most = {one: max(each.get(one, 0.0) for each in likely) for one in self.meant}
        for place, phrase in enumerate(self.phrases):
            own = lineage[phrase.found.cards[phrase.order[:MAX_CANDIDATES]]].tolist()
            is_meant = np.array(
                [one in self.meant and likely[place][one] >= most[one] / 2 for one in own]
            )
            if is_meant.any():
                yield candidate_features(company, place), is_meant


def learn_parts() -> str:
    """Learn the weights, store them, and say how right those of other libraries are, of each."""
    with open_half() as libraries:
        found = asked_of_libraries(libraries)
    stored: dict[str, Any] = {
        "about": "`personalq bench libraries --learn`: regressions on the open half"
    }
    for kind, weights in weights_of(found).items():
        names = stands.NAMES[kind]
        stored[kind] = {one: round(float(w), 4) for one, w in zip(names, weights, strict=True)}
    WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    lines = [
        "| noun phrases, with part weights of the others | precision | recall |",
        "|---|---|---|",
    ]
    for name, own in found.items():
        others = weights_of({other: one for other, one in found.items() if other != name})
        features, label = _together(own, others)
        said = (weighed(features, others["together"]) >= 0) & ~np.isnan(label)
        right = (said & (label > 0)).sum()
        shares = right / said.sum(), right / (label > 0).sum()
        lines.append(f"| {name} | {shares[0]:.1%} | {shares[1]:.1%} |")
    return "\n".join(lines)


def asked_of_libraries(
    libraries: Sequence[OpenLibrary], model: Likelihood | None = None
) -> dict[str, list[Asked]]:
    """What all requests to each library say, its own and those that mean several models.

    `model` grounds them; None: what is shipped.
    """
    several = {one.name: one.requests for _, one in asked(LEARNED_FROM, "open")}
    return {
        at.library.name: list(_asked(at, several.get(at.library.name, ()), model or likelihood()))
        for at in libraries
    }


def _asked(at: OpenLibrary, several: Sequence[Request], model: Likelihood) -> Iterator[Asked]:
    requests = (*at.library.requests, *several)
    lesson = Lesson(replace(at, library=replace(at.library, requests=requests)))
    for request, case in zip(requests, lesson.cases(model), strict=True):
        intent = case.intent
        if case.found is None or intent.order or intent.names or intent.used:
            continue
        _, case = for_parts(case)
        if phrases := list(noun_phrases(case)):
            meant = lesson.lineages(request.accepted[:1])
            others = lesson.lineages(request.accepted[1:]) - meant
            selects = request.accepted[0].outcome == "select"
            weight = _OF_SEVERAL if request in several else 1.0
            yield Asked(case, phrases, meant, others, selects, weight)


def weights_of(found: Mapping[str, Sequence[Asked]]) -> Weights:
    """The weights that are learned from the requests to some libraries.

    Of a single one what a later regression sees is in-sample.
    """
    first = _of_candidates(found)
    rows = [
        _together(own, _of_candidates({a: b for a, b in found.items() if a != name} or found))
        for name, own in found.items()
    ]
    weight = np.concatenate([_weights(own) for own in found.values()])
    features, label = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    return {**first, "together": _fitted(features, label, weight)}


def _of_candidates(found: Mapping[str, Sequence[Asked]]) -> Weights:
    every = [one for own in found.values() for one in own]
    features = np.concatenate([one.features for one in every])
    stand = np.concatenate([one.stands for one in every])
    alone = _fitted(features, stand, _weights(every))
    choices = [(*row, one.weight) for one in every for row in one.choices(alone)]
    return {"alone": alone, "candidates": fit_choice(choices, _L2_OF_CHOICE)}


def _together(asked: Sequence[Asked], weights: Weights) -> tuple[Array, Array]:
    """(features, whether it stands for its model) of each noun phrase among the others."""
    rows, label = [], []
    for one in asked:
        ordered, features = stands.in_company(one.case, one.phrases, weights)
        rows.append(features)
        label.append(one.stand(ordered))
    return np.concatenate(rows), np.concatenate(label)


def _weights(asked: Sequence[Asked]) -> Array:
    return np.concatenate([np.full(len(one.phrases), one.weight) for one in asked])


def _fitted(features: Array, label: Array, weight: Array) -> Array:
    known = ~np.isnan(label)
    rows = np.c_[features, np.ones(len(features))]
    return fit(rows[known], label[known], weight[known], _L2)
