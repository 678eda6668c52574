"""Test answers to a question about one of several models of a request."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
REQUEST = "my bear in my inkwash style"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    for number, day in ((1, 10), (2, 50), (3, 90)):
        own(folder, f"bear_realistic_v{number}", day, f"brreal{number} bear")
    own(folder, "bear_cartoon_v1", 95, "brtoon bear")
    own(folder, "inkwash_v2", 96, "inkwsh style")
    own(folder, "kiko_v1", 20, "kiko_chr woman")
    own(folder, "kiko_v2", 60, "kiko_chr woman")
    own(folder, "polar_nanuk", 70, "nanuk polar bear")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("bear realistic", "bear_realistic_v3"),
        ("bear_realistic_v2", "bear_realistic_v2"),
        ("the realistic one, v1", "bear_realistic_v1"),
        ("the oldest realistic", "bear_realistic_v1"),
        ("the second newest realistic", "bear_realistic_v2"),
        ("realistic from august 2025", "bear_realistic_v2"),
        ("kiko_v1", "kiko_v1"),
        ("nanuk", "polar_nanuk"),
    ],
)
def test_an_answer_takes_the_model_that_it_says_and_leaves_the_others(
    repository, answer: str, name: str
) -> None:
    assert check_in(REQUEST, repository, now=NOW).question
    decision = check_in(REQUEST, repository, now=NOW, answers=[answer])
    assert [card.name for card in decision.cards] == [name, "inkwash_v2"], decision.why


def test_an_answer_that_says_a_build_which_is_not_here_fits_none(repository) -> None:
    decision = check_in(REQUEST, repository, now=NOW, answers=["realistic from 2019"])
    assert decision.question
    assert decision.unheard == ("realistic from 2019",)


def test_a_choice_promises_no_build_that_does_not_fit_the_other_model(tmp_path) -> None:
    """The newest polka shawl is for another base model than the person who is to wear it."""
    own(tmp_path, "mira_v1", 10, "miraq woman")
    own(tmp_path, "shawl_polka", 20, "polkashawl shawl")
    own(tmp_path, "shawl_polka_15", 90, "polkashawl shawl", base="sd15")
    own(tmp_path, "shawl_tartan", 30, "tartanshawl shawl")
    library = Repository.open(tmp_path, embedder=None)
    request_text = "mira in my shawl"
    question = check_in(request_text, library, now=NOW).question
    assert [choice.card_ids for choice in question.choices] == [
        ("shawl_polka",),
        ("shawl_tartan",),
    ]
    decision = check_in(request_text, library, now=NOW, answers=["shawl polka"])
    assert [card.name for card in decision.cards] == ["mira_v1", "shawl_polka"]
