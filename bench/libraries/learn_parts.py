"""Learn whether a noun phrase of a request stands for a model, from requests to the open libraries.

A row is a noun phrase with its likeliest model; its label is whether the best accepted outcome
names that model, or another likely one where it is a look. The weights are those of a logistic
regression, as in learn.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...checkin.catalog.columns import Array
from ...checkin.decision import stands
from ...checkin.decision.grounded import Grounded
from ...checkin.decision.likelihood import likelihood, probability
from ...checkin.decision.noun_phrases import noun_phrases
from ...checkin.decision.part_features import PART_NAMES
from ...checkin.decision.parts import POSSIBLE
from .further import asked
from .learn import Lesson, fit
from .library import Library, Request, library_names, read_library
from .open_library import opened

WEIGHTS = Path(stands.__file__).with_name("part_weights.json")
_L2 = 0.3
"""The penalty on the square of each weight."""
_OF_SEVERAL = 1.5
"""The weight of a phrase of a request that means several models, beside one of any other."""


class Rows(NamedTuple):
    """The noun phrases of the requests to one library."""

    features: Array
    """float [rows, PART_NAMES]."""
    stands: Array
    """float [rows]: 1 for a phrase that stands for its likeliest model or a likely look, or 0."""
    weight: Array
    """float [rows]."""


def learn_parts() -> str:
    """Learn the weights, store them, and say how right those of other libraries are, of each."""
    several = {one.name: one.requests for _, one in asked("several", "open")}
    rows = {
        name: _rows(read_library("open", name), several.get(name, ()))
        for name in library_names("open")
    }
    weights = _weights(list(rows.values()))
    stored = {
        "about": "`personalq bench libraries --learn`: logistic regression on the open half",
        "weights": {one: round(float(w), 4) for one, w in zip(PART_NAMES, weights, strict=False)},
        "bias": round(float(weights[-1]), 4),
    }
    WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    lines = ["| noun phrases, with weights of the others | precision | recall |", "|---|---|---|"]
    for name, own in rows.items():
        others = _weights([one for other, one in rows.items() if other != name])
        said = own.features @ others[:-1] + others[-1] >= 0
        right = (said * own.stands).sum()
        lines.append(f"| {name} | {right / said.sum():.1%} | {right / own.stands.sum():.1%} |")
    return "\n".join(lines)


def _rows(library: Library, several: Sequence[Request]) -> Rows:
    """The rows of a library's own requests and of those that mean several models."""
    both = replace(library, requests=(*library.requests, *several))
    found: list[tuple[Array, float, float]] = []
    with opened(both) as at:
        lesson = Lesson(at)
        for request, case in zip(both.requests, lesson.cases(likelihood()), strict=True):
            weight = _OF_SEVERAL if request in several else 1.0
            found += [(*row, weight) for row in _rows_of(lesson, request, case)]
    return Rows(*map(np.array, zip(*found, strict=True)))


def _rows_of(lesson: Lesson, request: Request, case: Grounded) -> Iterator[tuple[Array, float]]:
    intent, lineage = case.intent, case.left.columns.lineage
    if case.found is None or intent.order or intent.names or intent.used:
        return
    meant = lesson.lineages(request.accepted[:1])
    others = lesson.lineages(request.accepted[1:]) - meant
    for phrase in noun_phrases(case):
        top = phrase.order[0]
        likely = probability(phrase.alone.odds[phrase.order]) >= POSSIBLE
        of_a_look = phrase.order[likely] if phrase.looks[top] else phrase.order[:1]
        own = {*lineage[phrase.found.cards[of_a_look]].tolist()}
        if int(lineage[phrase.found.cards[top]]) not in others:
            yield phrase.features(case), float(not meant.isdisjoint(own))


def _weights(rows: list[Rows]) -> Any:
    features, stands_for, weight = map(np.concatenate, zip(*rows, strict=True))
    return fit(np.c_[features, np.ones(len(features))], stands_for, weight, _L2)
