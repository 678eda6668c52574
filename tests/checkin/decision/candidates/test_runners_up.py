"""Test a decision's runners-up: at most three, or six of a pick, which also meet the demands."""

from __future__ import annotations

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.catalog.reference import Reference
from personalq.tests.checkin.world import NOW, cards


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository(cards(), embedder=None)


def others(repository: Repository, request: str, **options) -> list[str]:
    return [card.id for card in check_in(request, repository, now=NOW, **options).others]


def test_the_neighbours_in_the_row_of_a_superlative(repository):
    assert others(repository, "my latest realistic bear") == [
        "bear-real-3",
        "bear-real-2",
        "bear-real-1",
    ]
    assert others(repository, "my oldest realistic bear") == [
        "bear-real-2",
        "bear-real-3",
        "bear-real-4",
    ]
    assert others(repository, "third newest realistic bear") == ["bear-real-3", "bear-real-1"]


def test_older_builds_of_one_lineage(repository):
    assert others(repository, "plush bear") == ["bear-plush-2", "bear-plush-1"]


def test_of_several_lineages_where_nobody_is_asked(repository):
    decision = check_in("a bear", repository, now=NOW, best_match=True)
    assert len(decision.others) == 3
    assert decision.card not in decision.others
    assert all("bear" in card.subjects for card in decision.others)


def test_an_answer_narrows_them(repository):
    assert others(repository, "a bear", answers=["cartoon"]) == ["bear-plush-2", "bear-plush-1"]


@pytest.mark.parametrize(
    "request_", ["a bear", "my December watercolour", "bear-real-2 in the snow"]
)
def test_none_beside_a_question_no_match_or_a_named_model(repository, request_):
    assert others(repository, request_) == []


def test_after_a_pick_what_the_request_means_comes_first(repository):
    request = "my latest realistic bear on a red carpet"
    meant = check_in(request, repository, now=NOW)
    third = next(card for card in repository.cards if card.id == "bear-real-3")
    picked = check_in(request, repository, now=NOW, chosen=Reference.of(third))
    assert meant.card
    assert picked.others[0] == meant.card
    assert [card.id for card in picked.others] == [
        "bear-real-4",
        "bear-real-2",
        "bear-real-1",
        "bear-plush-3",
    ]
