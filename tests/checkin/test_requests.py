"""Test free-form requests against what a careful colleague would do."""

from __future__ import annotations

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.request_set import MORE_REQUESTS, REQUESTS
from personalq.tests.checkin.world import NOW, cards

ALL = (*REQUESTS, *MORE_REQUESTS)


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository(cards(), embedder=None)


@pytest.mark.parametrize(("request_text", "expected"), ALL, ids=[text for text, _ in ALL])
def test_request(repository, request_text, expected):
    decision = check_in(request_text, repository, now=NOW)
    if decision.outcome == "select":
        assert decision.card.id == expected
    elif decision.outcome == "no_match":
        assert expected == "none"
    else:
        assert f"ask {decision.question.attribute}".startswith(expected), decision.question.text


@pytest.mark.parametrize("request_text", [text for text, _ in ALL])
def test_every_decision_says_why_and_names_no_file(repository, request_text):
    decision = check_in(request_text, repository, now=NOW)
    assert decision.why.strip().endswith((".", "?", "…"))
    shown = [decision.why]
    if decision.question:
        labels = [choice.label for choice in decision.question.choices]
        assert 2 <= len(labels) <= 4
        assert len(set(labels)) == len(labels)
        shown += [
            decision.question.text,
            *labels,
            *(choice.detail for choice in decision.question.choices),
        ]
    for text in shown:
        assert "/models/" not in text
        assert not any(card.id in text.split() for card in repository.cards)


@pytest.mark.parametrize(
    "request_text", [text for text, expected in ALL if expected.startswith("ask")]
)
def test_every_choice_is_understood_as_an_answer(repository, request_text):
    question = check_in(request_text, repository, now=NOW).question
    for choice in question.choices:
        answered = check_in(request_text, repository, now=NOW, answers=[choice.label])
        assert answered.outcome in ("select", "clarify")
        left = {card.id for card in repository.cards if card.id in choice.card_ids}
        if answered.card:
            assert answered.card.id in left
        else:
            assert {
                card_id for other in answered.question.choices for card_id in other.card_ids
            } <= left


@pytest.mark.parametrize(
    "request_text", [text for text, expected in ALL if expected.startswith("ask")]
)
def test_two_answers_are_enough(repository, request_text):
    answers: list[str] = []
    for _ in range(2):
        decision = check_in(request_text, repository, now=NOW, answers=answers)
        if decision.question is None:
            break
        answers.append(decision.question.choices[0].label)
    assert check_in(request_text, repository, now=NOW, answers=answers).outcome == "select"
