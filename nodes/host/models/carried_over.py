"""What was answered and chosen for other requests, where a request asks for the same models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ....checkin import Repository, check_in
from ....checkin.catalog.given_answers import GivenAnswers
from ....checkin.catalog.pinned import PinnedModel, PinnedModels
from ....checkin.lexicon.text import one_line
from ....checkin.same_models import asking_for_the_same, goes_on, still_chosen

_MOST_OTHERS = 5
"""Of how many other requests with answers, and with chosen models, the models are looked up, at
most.
"""


@dataclass(frozen=True)
class CarriedOver:
    """What counts of other requests."""

    chosen: PinnedModels | None = None
    used: tuple[PinnedModel, ...] = ()
    """How models were used, strengths and triggers, for requests that this one words on."""
    answered: str | None = None
    """The one whose answers count: the one that was answered last."""
    alike: tuple[str, ...] = ()
    """All that ask for the same models, of which something counts."""

    @classmethod
    def of(
        cls,
        request: str,
        answers: GivenAnswers,
        pinned: Sequence[PinnedModels],
        models: Repository,
        everything: Callable[[], Repository],
        **options: Any,
    ) -> CarriedOver:
        """What counts for a request without answers, or without chosen models, of its own.

        Pinned models are searched in `everything`; `options` are those of `check_in` that decide.
        """
        request, newest = one_line(request), pinned[::-1]
        answered, tied = answers.answered(), [one.request for one in newest if one.request]
        others = dict.fromkeys((*answered[:_MOST_OTHERS], *tied[:_MOST_OTHERS]))
        others.pop(request, None)
        if not others:
            return cls()
        alone = check_in(request, models, **options)
        alike = asking_for_the_same(alone, others, models, **options)
        chosen = None
        if PinnedModels.of_request(pinned, request) is None:
            held = [one for one in newest if one.request in alike]
            out = [
                one.request
                for one in held
                if not still_chosen(alone, one.request or "", one.models, everything())
            ]
            alike = tuple(one for one in alike if one not in out)
            chosen = next((one for one in held if one.request in alike), None)
        used = [
            model
            for one in newest
            if one.request in others
            if goes_on(request, one.request or "")
            for model in one.models
        ]
        used = [one for one in used if one.strength is not None or one.triggers is not None]
        own = request in answered
        last = None if own else next((one for one in answered if one in alike), None)
        counts = {last, *tied}
        return cls(chosen, tuple(used), last, tuple(one for one in alike if one in counts))
