"""Check-in's weights for a library of the open half, learned from the other libraries of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from unittest.mock import patch

import numpy as np

from ...checkin.catalog.columns import Array
from ...checkin.decision.candidates import grounded
from ...checkin.decision.candidates.grounded import Grounded
from ...checkin.decision.evidence.likelihood import Likelihood, likelihood
from ...checkin.decision.several import stands
from .ablations import WHOLE, Part
from .learn import Lesson, Rows, _model
from .learn_parts import asked_of_libraries, weights_of
from .open_library import OpenLibrary

_LEASTS = ("least", "least_rival", "least_further")
"""The thresholds of a likelihood that are probabilities of one model."""
_FACTORS = (1.0, 0.5, 0.25, 0.12)


class _GroundedOnce(Lesson):
    """A lesson whose requests are grounded once, for several models."""

    def cases(self, model: Likelihood) -> list[Grounded]:
        """Every request, grounded."""
        return [replace(case, model=model) for case in self._cases]

    @cached_property
    def _cases(self) -> list[Grounded]:
        return super().cases(likelihood())


class HeldOut:
    """Learns weights without one library, for Check-in whole and without one of its parts."""

    def __init__(self, libraries: Sequence[OpenLibrary]) -> None:
        """`libraries`: those of the open half."""
        self._libraries = libraries
        self._grounded: dict[tuple[object, ...], dict[str, Lesson]] = {}
        self._rows: dict[tuple[object, ...], dict[str, Rows]] = {}
        self._weights: dict[str, Mapping[str, Array]] = {}

    def model(self, at: OpenLibrary, part: Part = WHOLE) -> Likelihood:
        """The likelihood by which requests to this library are decided.

        A library outside the open half is judged with the weights that are shipped. Raises
        ValueError if there is no other library to learn from.
        """
        name = at.library.name
        if part is WHOLE and name not in {one.library.name for one in self._libraries}:
            return likelihood()
        rows = [own for other, own in self._rows_without(part).items() if other != name]
        if not rows:
            raise ValueError(
                "weights are learned from other libraries of the open half: there are none"
            )
        if part.learned:
            return _learned(rows, part)
        others = [lesson for other, lesson in self._lessons(part).items() if other != name]
        return _best_least(_coverage(rows, part), others)

    def part_weights(self, at: OpenLibrary) -> Mapping[str, Array]:
        """The weights by which noun phrases of requests to this library are decided, as `model`."""
        name = at.library.name
        others = [one for one in self._libraries if one.library.name != name]
        if len(others) == len(self._libraries):
            return stands.part_weights()
        if name not in self._weights:
            self._weights[name] = weights_of(asked_of_libraries(others, self.model(at)))
        return self._weights[name]

    @contextmanager
    def deciding(self, at: OpenLibrary, part: Part) -> Iterator[OpenLibrary]:
        """Let Check-in decide without a part, by weights of other libraries.

        Yields the library with what is left of its cards. Noun phrases are decided as of the whole.
        """
        model, of_parts = self.model(at, part), self.part_weights(at)
        with (
            part.taken_away(),
            patch.object(grounded, "likelihood", lambda: model),
            patch.object(stands, "part_weights", lambda: of_parts),
        ):
            yield part.of(at)

    def _rows_without(self, part: Part) -> dict[str, Rows]:
        if part.grounding not in self._rows:
            with part.taken_away():
                self._rows[part.grounding] = {
                    name: lesson.rows() for name, lesson in self._lessons(part).items()
                }
        return self._rows[part.grounding]

    def _lessons(self, part: Part) -> dict[str, Lesson]:
        if part.grounding not in self._grounded:
            self._grounded[part.grounding] = {
                at.library.name: _GroundedOnce(part.of(at)) for at in self._libraries
            }
        return self._grounded[part.grounding]


def _learned(rows: Sequence[Rows], part: Part) -> Likelihood:
    """Weights of the features that are left; the others have none."""
    return _model([one._replace(features=one.features * part.kept) for one in rows])


def _coverage(rows: Sequence[Rows], part: Part) -> Likelihood:
    """One weight for all coverage; with its bias it maps coverage to probabilities."""
    sums = [one._replace(features=one.features @ part.kept[:, None]) for one in rows]
    model = _model(sums)
    return replace(model, weights=model.weights[0] * np.asarray(part.kept, float))


def _best_least(model: Likelihood, others: Sequence[Lesson]) -> Likelihood:
    """The model with the least likelihoods, all by one factor, that are right most often.

    Coverage alone is never as sure as the features that the thresholds were set for.
    """
    scaled = [
        replace(model, **{name: factor * getattr(model, name) for name in _LEASTS})
        for factor in _FACTORS
    ]
    return max(
        scaled,
        key=lambda one: sum(said == "right" for lesson in others for _, said in lesson.judged(one)),
    )
