"""Check-in's selections beside those of other selectors, judged by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...checkin import Card
from ...checkin.llm import Profile
from ..selection.llm_judge import Judgement, judged, summary
from .ablations import PARTS
from .run import Judged, Result

_VARIANTS = ("checkin-no-clarification", "checkin-no-retrieval", *PARTS)
"""Not judged: Check-in without one of its parts."""


def judgements(
    results: Sequence[Result], profile: Profile, settings: Path | None
) -> list[dict[str, Any]]:
    """Return what the judge says of each selector beside Check-in, as `llm_judge.summary`.

    Requests are judged for which both select, and select different models. Check-in is the first of
    each pair. `results` hold Check-in's. Raises NoAnswer.
    """
    ours = next(result for result in results if result.method == "checkin")
    asked: dict[tuple[str, str, tuple[str, ...]], Judgement] = {}

    def one(own: Judged, other: Judged) -> Judgement:
        key = (own.library, own.request.id, other.answer.models)
        if key not in asked:
            now = own.at.library.now.isoformat(timespec="minutes")
            sides = (_cards(own), _cards(other))
            asked[key] = judged(own.request.text, *sides, now, profile, settings)
        return asked[key]

    return [
        {"method": result.method}
        | summary(
            [one(*pair) for pair in zip(ours.judged, result.judged, strict=True) if _differ(*pair)]
        )
        for result in results
        if result.method != "checkin" and result.method not in _VARIANTS
    ]


def _differ(own: Judged, other: Judged) -> bool:
    """Whether both select, and not the same models; copies are the same."""
    original = own.at.library.original
    sides = [frozenset(map(original, one.answer.models)) for one in (own, other)]
    return all(sides) and sides[0] != sides[1]


def _cards(one: Judged) -> list[Card]:
    ids = {path: card_id for card_id, path in one.at.paths.items()}
    return [one.at.repository.get(ids[path]) for path in one.answer.models]
