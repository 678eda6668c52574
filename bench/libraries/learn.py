"""Learn the weights by which Check-in compares lineages, from the open half of the libraries.

They are those of a logistic regression with an L2 penalty, fitted by Newton's method. A row is a
lineage that is a candidate for a request; its label is whether the best accepted outcome names it.
Lineages that only further accepted outcomes name are left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...checkin.catalog.columns import Array
from ...checkin.catalog.selection import CardSelection
from ...checkin.catalog.vocabulary import Vocabulary
from ...checkin.decision import by_evidence
from ...checkin.decision.candidates.grounded import Grounded
from ...checkin.decision.evidence import likelihood
from ...checkin.decision.evidence.features import NAMES
from ...checkin.decision.evidence.grounder import Grounder
from ...checkin.decision.evidence.likelihood import Likelihood
from ...checkin.language.parse import parse
from .library import Accepted, Request
from .open_library import OpenLibrary, open_half
from .score import Answer, totals, verdict

WEIGHTS = Path(likelihood.__file__).with_name("weights.json")
L2 = 3.0
"""The penalty on the square of each weight."""
THRESHOLDS = {
    "least": 0.35,
    "least_rival": 0.12,
    "margin": 1.8,
    "least_further": 0.2,
    "least_ordered": 0.5,
}
"""Set on the open half, each library judged with weights learned from the others."""


_UNLEARNED = Likelihood(np.zeros(len(NAMES)), 0.0, **THRESHOLDS)


class Rows(NamedTuple):
    """Candidates of one library."""

    features: Array
    """float [rows, features]."""
    meant: Array
    """float [rows]: 1 for a lineage that is meant, else 0."""
    weight: Array
    """float [rows]."""


class Lesson:
    """One open library with its requests grounded."""

    def __init__(self, at: OpenLibrary) -> None:
        self.at = at
        catalogue = at.repository.catalogue()
        vocabulary = Vocabulary(catalogue)
        self.whole = CardSelection(catalogue, np.arange(len(catalogue.ids)))
        self._grounder = Grounder(catalogue.columns)
        self._position = {path: catalogue.position_of[one] for one, path in at.paths.items()}
        self.intents = [
            parse(request.text, vocabulary, at.library.now) for request in at.library.requests
        ]

    def cases(self, model: Likelihood) -> list[Grounded]:
        """Every request, grounded."""
        history = self.at.context.history
        return [
            Grounded.of(intent, self.whole, self._grounder, history, model=model)
            for intent in self.intents
        ]

    def rows(self) -> Rows:
        """The candidates of all requests but those that ask for what was used."""
        found: list[tuple[Array, float, float]] = []
        lineage = self.whole.columns.lineage
        for request, case in zip(self.at.library.requests, self.cases(_UNLEARNED), strict=True):
            if case.found is None or case.intent.used:
                continue
            meant = self.lineages(request.accepted[:1])
            others = self.lineages(request.accepted[1:]) - meant
            for card, values in zip(case.found.cards, case.found.values, strict=True):
                own = int(lineage[card])
                if own in meant:
                    found.append((values, 1.0, len(meant) ** -0.5))
                elif own not in others:
                    found.append((values, 0.0, 1.0))
        return Rows(*map(np.array, zip(*found, strict=True)))

    def judged(self, model: Likelihood) -> list[tuple[Request, Any]]:
        """Each request with its verdict, decided by `model`."""
        library = self.at.library
        found = []
        for request, case in zip(library.requests, self.cases(model), strict=True):
            said, _ = by_evidence.decide(case, library.now)
            views = (said.entry, *said.further) if said.entry else ()
            choices = said.question.choices if said.question else ()
            answer = Answer(
                "select" if views else "clarify" if choices else "no_match",
                tuple(self.at.paths[view.id] for view in views),
                tuple(tuple(map(self.at.paths.__getitem__, one.card_ids)) for one in choices),
            )
            found.append((request, verdict(request, answer, library.original)))
        return found

    def lineages(self, accepted: Sequence[Accepted]) -> set[int]:
        """The lineages of the models of some accepted outcomes."""
        paths = {self.at.library.original(path) for one in accepted for path in one.models}
        lineage = self.whole.columns.lineage
        return {int(lineage[self._position[path]]) for path in paths if path in self._position}


def learn() -> tuple[dict[str, Any], str]:
    """Learn the weights, store them, and return each library's totals with the others' weights."""
    with open_half() as libraries:
        lessons = {at.library.name: Lesson(at) for at in libraries}
        rows = {name: lesson.rows() for name, lesson in lessons.items()}
        held_out = {
            name: lesson.judged(_model([own for other, own in rows.items() if other != name]))
            for name, lesson in lessons.items()
        }
    model = _model(list(rows.values()))
    stored = {
        "about": "`personalq bench libraries --learn`: logistic regression on the open half",
        "weights": {name: round(float(w), 4) for name, w in zip(NAMES, model.weights, strict=True)},
        "bias": round(model.bias, 4),
        "thresholds": THRESHOLDS,
    }
    WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    found = {name: totals(judged) for name, judged in held_out.items()}
    found["all"] = totals([one for judged in held_out.values() for one in judged])
    lines = [
        f"| {name} | " + " | ".join(f"{share:.1%}" for share in one["share"].values()) + " |"
        for name, one in found.items()
    ]
    head = (
        "| library, with the likelihood of the others | " + " | ".join(found["all"]["share"]) + " |"
    )
    return found, "\n".join([head, "|---" * (head.count("|") - 1) + "|", *lines])


def _model(rows: Sequence[Rows]) -> Likelihood:
    features, meant, weight = map(np.concatenate, zip(*rows, strict=True))
    weights = fit(np.c_[features, np.ones(len(features))], meant, weight)
    return Likelihood(weights[:-1], float(weights[-1]), **THRESHOLDS)


def fit(
    features: Array, meant: Array, weight: Array, penalised: float = L2, steps: int = 60
) -> Array:
    """The weights, float [features], that minimise the penalised log-loss; the last has none."""
    penalty = np.eye(features.shape[1]) * penalised
    penalty[-1, -1] = 1e-6
    found = np.zeros(features.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-features @ found))
        gradient = features.T @ (weight * (chance - meant)) + penalty @ found
        curvature = (features * (weight * chance * (1 - chance))[:, None]).T @ features + penalty
        step = np.linalg.solve(curvature, gradient)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    return found
