"""Ask every request of a half with every selector, and judge the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

from ...checkin.llm import Profile
from ..selection.instances import Answer as ScoredAnswer
from ..selection.run import CHECKIN_LLM, TUNED, WITH_LLM
from ..selection.thresholds import Scored, tune
from ..timed import timed
from .ablations import PARTS, WHOLE, Part
from .checkin import DECIDING, Selector, with_llm
from .composer import stylus_composer
from .held_out import HeldOut
from .library import Library, Request, library_names, read_library
from .lineages import Lineages
from .open_library import OpenLibrary, opened
from .score import Answer, Verdict, totals, verdict
from .scorers import SCORING

METHODS = (*DECIDING, *SCORING, *(name + TUNED for name in SCORING))
"""All selectors that need no language model.

Those that score select always, or ask and decline by two thresholds.
"""


def methods_of(half: str, llm: Profile | None = None) -> tuple[str, ...]:
    """The selectors of a half's table: those without a part of Check-in for the open half alone."""
    found = [name for name in METHODS if half == "open" or name not in PARTS]
    return (*found, *(WITH_LLM if llm else ()))


@dataclass(frozen=True)
class Judged:
    """A request, the answer of a selector, and what it is worth."""

    at: OpenLibrary = field(repr=False)
    request: Request
    answer: Answer
    verdict: Verdict
    clicks: int | None = None
    """How many lead to the right models, where they are counted (`clicks`)."""

    @property
    def library(self) -> str:
        """The name of the library."""
        return self.at.library.name


@dataclass(frozen=True)
class Result:
    """What one selector answered."""

    method: str
    judged: tuple[Judged, ...] = field(repr=False)

    def totals(self) -> dict[str, Any]:
        """Return the totals of `score.totals`, with the median milliseconds of an answer.

        With those of Check-in with a language model: how often it was asked, and was not heard.
        """
        found = totals([(one.request, one.verdict) for one in self.judged])
        found["milliseconds_median"] = median(one.answer.milliseconds for one in self.judged)
        if self.method == CHECKIN_LLM:
            heard = [one for judged in self.judged for one in judged.answer.asked]
            found["calls_per_request"] = len(heard) / len(self.judged)
            found["not_heard"] = heard.count(False)
        return {"method": self.method, **found}


def evaluate(
    methods: Sequence[str], half: str, llm: Profile | None = None, settings: Path | None = None
) -> list[Result]:
    """Evaluate selectors on all libraries of a half.

    Check-in's weights and the thresholds of others, for a library of the open half, are learned on
    the other libraries of it. `llm` is the language model of selectors that have one, `settings`
    the folder with its key. Raises ValueError for an unknown method, one without its language
    model, a half without libraries, and where there is no other library to learn on; NoAnswer where
    the language model gives none.
    """
    _check(methods, half, llm)
    halves = {half, "open"} if any(map(_learns, methods)) else {half}
    with ExitStack() as stack:
        libraries = {
            one: [
                _Asked(stack.enter_context(opened(read_library(one, name))))
                for name in library_names(one)
            ]
            for one in halves
        }
        learned_on = libraries.get("open", [])
        held_out = HeldOut([one.at for one in learned_on])

        def answers(method: str, asked: _Asked) -> list[Answer]:
            name = method.removesuffix(TUNED)
            if name in SCORING:
                others = [one for one in learned_on if one is not asked]
                return asked.scored_answers(name, others if method.endswith(TUNED) else None)
            select, part = selector(method, llm, settings)
            with held_out.deciding(asked.at, part) as at:
                return asked.decided(select, at)

        return [
            Result(
                method,
                tuple(
                    one for asked in libraries[half] for one in asked.judged(answers(method, asked))
                ),
            )
            for method in methods
        ]


def _check(methods: Sequence[str], half: str, llm: Profile | None) -> None:
    known = (*METHODS, *WITH_LLM)
    if unknown := [method for method in methods if method not in known]:
        raise ValueError(f"there is no method '{unknown[0]}'; there are {', '.join(known)}")
    _check_llm(methods, llm)
    if not library_names(half):
        raise ValueError(f"the {half} half has no libraries")


def _check_llm(methods: Sequence[str], llm: Profile | None) -> None:
    if llm is None and (open_ := [method for method in methods if method in WITH_LLM]):
        raise ValueError(f"{open_[0]} needs a language model: name its profile with --profile")


def _learns(method: str) -> bool:
    return method.endswith(TUNED) or method in PARTS


def selector(method: str, llm: Profile | None, settings: Path | None) -> tuple[Selector, Part]:
    """Return a selector that asks and declines by itself, and the part that it is without.

    Raises ValueError for another one, and for one without its language model.
    """
    if method in DECIDING:
        return DECIDING[method]
    if method not in WITH_LLM:
        raise ValueError(f"'{method}' selects one model by scores: it asks and declines nothing")
    _check_llm([method], llm)
    assert llm
    made = with_llm if method == CHECKIN_LLM else stylus_composer
    return made(llm, settings), WHOLE


class _Asked:
    """One open library, and the scores for its requests, which are computed once."""

    def __init__(self, at: OpenLibrary) -> None:
        self.at = at
        self.library: Library = at.library
        self._lineages = Lineages.of(at.repository)
        self._scored: dict[str, list[tuple[Scored, float]]] = {}

    def judged(self, answers: Sequence[Answer]) -> list[Judged]:
        """Return the answers to all requests, judged."""
        return [
            Judged(self.at, request, answer, self.verdict(request, answer))
            for request, answer in zip(self.library.requests, answers, strict=True)
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

    def decided(self, select: Selector, at: OpenLibrary) -> list[Answer]:
        """Return the answers of a selector that asks and declines by itself."""
        runs = [partial(select, request.text, at) for request in self.library.requests]
        return [replace(answer, milliseconds=taken) for answer, taken in timed(runs)]

    def scored_answers(self, name: str, others: Sequence[_Asked] | None) -> list[Answer]:
        """Return the answers of a selector by scores; its thresholds are tuned on `others`.

        None: it has no thresholds and always selects.
        """
        judge: Callable[[Scored], ScoredAnswer] = Scored.best
        if others is not None:
            least, margin = _thresholds(name, others)
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
