"""Score answers to strangers' requests: right, or in which way wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..wilson import wilson
from .library import Accepted, Outcome, Request

Verdict = Literal["right", "silent error", "unnecessary question", "poor question", "declined"]
VERDICTS: tuple[Verdict, ...] = (
    "right",
    "silent error",
    "unnecessary question",
    "poor question",
    "declined",
)
"""All verdicts; "declined" means that it was wrong to decline."""
MOSTLY = 0.8
"""The least share of a question's choices that must lead to a model that can be meant."""


@dataclass(frozen=True)
class Answer:
    """A selector's answer to one request."""

    outcome: Outcome
    models: tuple[str, ...] = ()
    """Paths of all selected models."""
    choices: tuple[tuple[str, ...], ...] = ()
    """Paths of the models behind each choice of a question."""
    prompt: str | None = None
    """The prompt that Check-in writes for a selection."""
    milliseconds: float = 0.0
    asked: tuple[bool, ...] = ()
    """Of each question to Check-in's language model, whether an answer came."""


def verdict(request: Request, answer: Answer, original: Callable[[str], str]) -> Verdict:
    """Judge one answer; `original` gives the path of which a path is a copy."""
    if any(_meets(one, answer, original) for one in request.accepted):
        return "right"
    if answer.outcome == "select":
        return "silent error"
    if answer.outcome == "no_match":
        return "declined"
    asks = any(one.outcome == "clarify" for one in request.accepted)
    return "poor question" if asks else "unnecessary question"


def lacks_only(request: Request, answer: Answer, original: Callable[[str], str]) -> bool:
    """Whether a selection has no wrong model, but too few."""
    taken = set(map(original, answer.models))
    wanted = [one for one in request.accepted if one.outcome == "select"]
    return answer.outcome == "select" and any(
        taken < set(map(original, one.models)) for one in wanted
    )


def _meets(accepted: Accepted, answer: Answer, original: Callable[[str], str]) -> bool:
    if accepted.outcome != answer.outcome:
        return False
    wanted = set(map(original, accepted.models))
    if answer.outcome == "select":
        return set(map(original, answer.models)) == wanted
    if answer.outcome == "no_match":
        return True
    behind = [wanted.intersection(map(original, choice)) for choice in answer.choices]
    good = sum(map(bool, behind))
    return good >= MOSTLY * len(behind) and len(set().union(*behind)) > 1


def totals(judged: Sequence[tuple[Request, Verdict]]) -> dict[str, Any]:
    """Return the share of each verdict with its 95 % interval, and those right by kind, difficulty,
    group.

    The group is the best outcome: "select", "clarify" or "no_match".
    """
    counts = Counter(found for _, found in judged)
    of = len(judged)
    return {
        "requests": of,
        "share": {name: counts[name] / of if of else 0.0 for name in VERDICTS},
        "interval": {name: wilson(counts[name], of) for name in VERDICTS},
        "group": _shares(judged, lambda request: request.accepted[0].outcome),
        "difficulty": _shares(judged, lambda request: request.difficulty),
        "kind": _shares(judged, lambda request: request.kind),
    }


def _shares(
    judged: Iterable[tuple[Request, Verdict]], key: Callable[[Request], str]
) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for request, said in judged:
        one = found.setdefault(key(request), {"right": 0, "of": 0})
        one["of"] += 1
        one["right"] += said == "right"
    return dict(sorted(found.items()))
