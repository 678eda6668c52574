"""Test properties of every text: it is decided without a crash or an unknown model."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from personalq.checkin import Repository, check_in
from personalq.checkin.language.rewrite import rewrite
from personalq.checkin.lexicon import (
    FUNCTION,
    ORDINALS,
    SPOKEN_BASE_MODELS,
    STYLES,
    SUBJECTS,
    TEMPORAL,
)
from personalq.tests.checkin.request_set import MORE_REQUESTS, REQUESTS
from personalq.tests.checkin.world import NOW, cards

REPOSITORY = Repository(cards(), embedder=None)
WORDS = sorted(
    {" ".join(phrase) for phrase in (*SUBJECTS, *STYLES)}
    | set(FUNCTION | TEMPORAL | ORDINALS | set(SPOKEN_BASE_MODELS))
    | {word for text, _ in (*REQUESTS, *MORE_REQUESTS) for word in text.split()}
)
SPOKEN = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from("v1 v12 2 3rd 2024 , . ; ? ! ' \" ( ) - <bear-v4> :1.2) | { }".split()),
    )
).map(" ".join)
ANY_TEXT = st.one_of(st.text(max_size=300), SPOKEN)
RUNS = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_sound(decision) -> None:
    assert decision.why.strip()
    if decision.outcome == "select":
        known = {card.id: card for card in REPOSITORY.cards}
        for one in decision.cards:  # of several, each is weaker
            assert replace(one, strength=1.0) == known[one.id]
        assert decision.card.trigger in decision.prompt
        assert decision.question is None
    elif decision.outcome == "clarify":
        labels = [choice.label for choice in decision.question.choices]
        assert 2 <= len(labels) == len(set(labels)) <= 4
        ids = {card.id for card in REPOSITORY.cards}
        assert not ids & set(decision.question.text.split())
        assert all(
            choice.card_ids and set(choice.card_ids) <= ids for choice in decision.question.choices
        )
    else:
        assert decision.card is None
        assert decision.question is None


@RUNS
@given(ANY_TEXT.filter(str.strip))
@example("PUP.PUP&PUP'V1'BEAR:V4").via("two parts name a build of one lineage")
def test_any_text_gets_a_decision(text):
    assert_sound(check_in(text, REPOSITORY, now=NOW))


@RUNS
@given(SPOKEN.filter(str.strip))
@example("old.own.v1.greenhouse.<bear-v4>.with.and.notebook computer").via("a version of one part")
@example("photograph board game piece made 3rd manga tulip farmer ! old").via("a place of one part")
def test_each_choice_of_a_question_answers_it(text):
    asked = check_in(text, REPOSITORY, now=NOW)
    for choice in asked.question.choices if asked.question else ():
        decision = check_in(text, REPOSITORY, now=NOW, answers=[choice.label])
        assert_sound(decision)
        assert decision.heard == ((choice.label, choice.shown),)
        if decision.outcome == "select":
            assert {card.id for card in decision.cards} & set(choice.card_ids)


@RUNS
@given(SPOKEN.filter(str.strip), st.lists(ANY_TEXT, max_size=3))
def test_any_answers_get_a_decision_and_those_understood_end_the_asking(text, answers):
    decision = check_in(text, REPOSITORY, now=NOW, answers=answers)
    assert_sound(decision)
    assert set(decision.unheard) <= set(answers)
    assert len(answers) - len(decision.unheard) < 2 or decision.outcome != "clarify"


@RUNS
@given(SPOKEN.filter(str.strip))
def test_the_same_request_gets_the_same_decision(text):
    first, second = (check_in(text, REPOSITORY, now=NOW) for _ in range(2))
    assert first == second


@RUNS
@given(ANY_TEXT, st.sampled_from(REPOSITORY.cards))
def test_rewriting_twice_changes_nothing_more(text, card):
    once = rewrite(text, card).text
    assert rewrite(once, card).text == once


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        "bear " * 2_000,
        "not " * 2_500,
        "April or " * 1_100,
        "v1 and v2 or " * 750,
        "the one before " * 660,
        "before " + "the one with " * 760,
        "bear older than the first one " * 330,
        "<" * 10_000,
        "between March and " * 550,
        "1" * 10_000,
        "the second newest of the last but one " * 260,
        "((((" * 2_500,
        "- " * 5_000,
        "\u0130\u00df\u1e9e" * 3_300,
        "no cartoon, no anime and no sketch; " * 270,
        "2025-05-15 " * 900,
        "x-" * 5_000,
        "last week's " * 800,
    ],
    ids=lambda text: text[:12],
)
def test_a_long_text_gets_a_decision_soon(text):
    start = time.process_time()
    assert_sound(check_in(text[:10_000], REPOSITORY, now=NOW))
    assert time.process_time() - start < 2
