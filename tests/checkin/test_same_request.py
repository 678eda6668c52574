"""Test that how a request is typed does not decide what it means."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from personalq.checkin import Decision, Repository, check_in
from personalq.tests.checkin.request_set import MORE_REQUESTS, REQUESTS
from personalq.tests.checkin.world import NOW, cards

TYPED: dict[str, Callable[[str], str]] = {
    "two spaces": lambda said: said.replace(" ", "  "),
    "lines": lambda said: said.replace(", ", ",\n") + "\n",
    "no-break spaces": lambda said: said.replace(" ", "\u00a0"),
    "a capital": lambda said: said[:1].upper() + said[1:],
    "an exclamation": lambda said: said.rstrip(".?! ") + "!",
    "a face": lambda said: said + " \U0001f60a",
    "curly apostrophes": lambda said: said.replace("'", "\u2019"),
    "settings of Midjourney": lambda said: said + " --ar 16:9 --v 6",
}


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository(cards(), embedder=None)


def _meant(decision: Decision) -> tuple[str, ...]:
    choices = decision.question.choices if decision.question else ()
    offered = sorted(one for choice in choices for one in choice.card_ids)
    return (decision.outcome, *(card.id for card in decision.cards), *offered)


@pytest.mark.parametrize("typed", TYPED)
def test_it_means_the_same_however_it_is_typed(repository: Repository, typed: str) -> None:
    differing = [
        said
        for said, _ in (*REQUESTS, *MORE_REQUESTS)
        if _meant(check_in(TYPED[typed](said), repository, now=NOW))
        != _meant(check_in(said, repository, now=NOW))
    ]
    assert differing == []
