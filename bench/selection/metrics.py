"""Metrics of a selector's answers: accuracy, clarifications, refusals and silent errors."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles
from typing import Any

from ..wilson import wilson
from .instances import GROUPS, Answer, Instance

MOSTLY = 0.8
"""Least share of the offered cards that must be among those the question should be about."""


def right(instance: Instance, answer: Answer) -> bool:
    """Whether the answer is right: the card, a question about the right cards, or no match."""
    if instance.group == "single":
        return answer.outcome == "select" and answer.card == instance.card
    if instance.group == "no-match":
        return answer.outcome == "no_match"
    return answer.outcome == "clarify" and _about(instance, answer)


def _about(instance: Instance, answer: Answer) -> bool:
    if not instance.acceptable:
        return True
    offered = set(answer.offered)
    return bool(offered) and len(offered & set(instance.acceptable)) >= MOSTLY * len(offered)


def totals(instances: Sequence[Instance], answers: Sequence[Answer]) -> dict[str, Any]:
    """Return all metrics of one selector.

    - accuracy: overall, per group and per kind, each with its 95 % Wilson interval;
    - clarification precision and recall: right questions among those asked, and among those needed;
    - F1 of "nothing fits";
    - over-asking (unnecessary clarifications: one card or none was right) and silent errors (a
      wrong card, without asking), both as shares of all queries.
    """
    pairs = list(zip(instances, answers, strict=True))
    asked = [pair for pair in pairs if pair[1].outcome == "clarify"]
    wanted = [pair for pair in pairs if pair[0].group == "ambiguous"]
    declined = [pair for pair in pairs if pair[1].outcome == "no_match"]
    impossible = [pair for pair in pairs if pair[0].group == "no-match"]
    kinds = sorted({instance.kind for instance in instances})
    good_questions = sum(right(*pair) for pair in wanted)
    rightly_declined = sum(right(*pair) for pair in impossible)
    precision, recall = (
        _share(rightly_declined, len(declined)),
        _share(rightly_declined, len(impossible)),
    )
    times = [answer.milliseconds for answer in answers]
    return {
        "queries": len(pairs),
        "accuracy": _accuracy(pairs),
        "groups": {
            name: _accuracy([pair for pair in pairs if pair[0].group == name]) for name in GROUPS
        },
        "kinds": {
            name: _accuracy([pair for pair in pairs if pair[0].kind == name]) for name in kinds
        },
        "clarification_precision": _share(good_questions, len(asked)),
        "clarification_recall": _share(good_questions, len(wanted)),
        "no_match_f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "over_asking": _share(sum(pair[0].group != "ambiguous" for pair in asked), len(pairs)),
        "silent_wrong": _share(
            sum(a.outcome == "select" and not right(i, a) for i, a in pairs), len(pairs)
        ),
        "milliseconds_median": median(times),
        "milliseconds_p95": quantiles(times, n=20)[-1] if len(times) > 1 else times[0],
    }


def _accuracy(pairs: Sequence[tuple[Instance, Answer]]) -> dict[str, float]:
    good = sum(right(*pair) for pair in pairs)
    low, high = wilson(good, len(pairs))
    return {
        "right": good,
        "of": len(pairs),
        "share": _share(good, len(pairs)),
        "low": low,
        "high": high,
    }


def _share(count: int, of: int) -> float:
    return count / of if of else 0.0
