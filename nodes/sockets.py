"""The two socket types of our own and what travels through them."""

from __future__ import annotations

from dataclasses import dataclass

from comfy_api.latest import io

from ..checkin import Card, ServingPlan
from ..checkin.catalog.request_line import one_line

CLARIFIER = io.Custom("CLARIFIER")
SELECTION = io.Custom("SELECTION")


@dataclass(frozen=True)
class Clarifier:
    """What the user answered, and what to do when the request still fits several models."""

    answers: tuple[str, ...]
    request: str | None
    """The request that the answers were given for; None when they hold for any."""
    when_unsure: str

    def answers_for(self, request: str) -> tuple[str, ...]:
        """The answers, unless they were given for another request."""
        return self.answers if self.request in (None, one_line(request)) else ()


@dataclass(frozen=True)
class Selection:
    """The model that Check-in chose, and how to run it."""

    card: Card
    serving: ServingPlan
