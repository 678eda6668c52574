"""Ask every request of a half with every selector, and judge the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache, partial
from statistics import median
from typing import Any

from ..selection.instances import Answer as ScoredAnswer
from ..selection.run import TUNED
from ..selection.thresholds import Scored, tune
from ..timed import timed
from . import checkin
from .library import Library, Request, library_names, read_library
from .lineages import Lineages
from .open_library import OpenLibrary, opened
from .score import Answer, Verdict, totals, verdict
from .scorers import SCORING

DECIDING: dict[str, Callable[[str, OpenLibrary], Answer]] = {
    "checkin": checkin.checkin,
    "checkin-no-clarification": checkin.without_clarification,
    "checkin-no-retrieval": checkin.without_retrieval,
}
"""Selectors that ask and decline by themselves."""
METHODS = (*DECIDING, *SCORING, *(name + TUNED for name in SCORING))
"""All selectors. Those that score select always, or ask and decline by two thresholds."""


@dataclass(frozen=True)
class Judged:
    """A request, the answer of a selector, and what it is worth."""

    library: str
    request: Request
    answer: Answer
    verdict: Verdict


@dataclass(frozen=True)
class Result:
    """What one selector answered."""

    method: str
    judged: tuple[Judged, ...] = field(repr=False)

    def totals(self) -> dict[str, Any]:
        """Return the totals of `score.totals`, with the median milliseconds of an answer."""
        found = totals([(one.request, one.verdict) for one in self.judged])
        times = [one.answer.milliseconds for one in self.judged]
        return {"method": self.method, **found, "milliseconds_median": median(times)}


def evaluate(methods: Sequence[str], half: str) -> list[Result]:
    """Evaluate selectors on all libraries of a half.

    The thresholds for a library are tuned on the other libraries of the open half. Raises
    ValueError for an unknown method, a half without libraries, and for thresholds that there is no
    other library to tune on.
    """
    if unknown := [method for method in methods if method not in METHODS]:
        raise ValueError(f"there is no method '{unknown[0]}'; there are {', '.join(METHODS)}")
    if not library_names(half):
        raise ValueError(f"the {half} half has no libraries")
    halves = {half, "open"} if any(method.endswith(TUNED) for method in methods) else {half}
    with ExitStack() as stack:
        libraries = {
            one: [
                _Asked(stack.enter_context(opened(read_library(one, name))))
                for name in library_names(one)
            ]
            for one in halves
        }
        tuning = libraries.get("open", [])
        return [
            Result(
                method,
                tuple(one for library in libraries[half] for one in library.judged(method, tuning)),
            )
            for method in methods
        ]


class _Asked:
    """One open library, and the scores for its requests, which are computed once."""

    def __init__(self, at: OpenLibrary) -> None:
        self.at = at
        self.library: Library = at.library
        self._lineages = Lineages.of(at.repository)
        self._scored: dict[str, list[tuple[Scored, float]]] = {}

    def judged(self, method: str, tuning: Sequence[_Asked]) -> list[Judged]:
        """Return the judged answers of a method to all requests."""
        return [
            Judged(self.library.name, request, answer, self.verdict(request, answer))
            for request, answer in zip(
                self.library.requests, self._answers(method, tuning), strict=True
            )
        ]

    def verdict(self, request: Request, answer: Answer) -> Verdict:
        """Judge an answer to a request of this library."""
        return verdict(request, answer, self.library.original)

    def is_right(self, request: Request, found: ScoredAnswer) -> bool:
        """Whether an answer that was found by scores is right."""
        return self.verdict(request, self._in_paths(found)) == "right"

    def scored(self, name: str) -> list[tuple[Scored, float]]:
        """Return the best lineages for each request, and the milliseconds that this took."""
        if name not in self._scored:
            score = partial(self._lineages.scored, SCORING[name], repository=self.at.repository)
            runs = [partial(score, request.text) for request in self.library.requests]
            self._scored[name] = timed(runs)
        return self._scored[name]

    def _answers(self, method: str, tuning: Sequence[_Asked]) -> list[Answer]:
        if method in DECIDING:
            decide = DECIDING[method]
            runs = [partial(decide, request.text, self.at) for request in self.library.requests]
            return [replace(answer, milliseconds=taken) for answer, taken in timed(runs)]
        name = method.removesuffix(TUNED)
        judge: Callable[[Scored], ScoredAnswer] = Scored.best
        if method.endswith(TUNED):
            least, margin = _thresholds(name, [one for one in tuning if one is not self])
            judge = partial(Scored.judged, least=least, margin=margin)
        return [
            replace(self._in_paths(judge(scored)), milliseconds=taken)
            for scored, taken in self.scored(name)
        ]

    def _in_paths(self, found: ScoredAnswer) -> Answer:
        return self._lineages.answer(found, self.at.paths.__getitem__)


def _thresholds(name: str, others: Sequence[_Asked]) -> tuple[float, float]:
    """Return the (least, margin) with which a selector is right most often in other libraries."""
    if not others:
        raise ValueError("thresholds are tuned on other libraries of the open half: there are none")
    queries = [(one, request) for one in others for request in one.library.requests]
    scored = [scored for one in others for scored, _ in one.scored(name)]

    @cache
    def right(query: tuple[_Asked, Request], found: ScoredAnswer) -> bool:
        asked, request = query
        return asked.is_right(request, found)

    return tune(queries, scored, right)
