"""Test that an exact trigger in a request says which model is meant.

The rest of the request is not lost.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.reference import Reference
from personalq.tests.checkin.world import NOW, cards

TOON = Card(
    "toon-1",
    "/m/toon_v1.safetensors",
    triggers=("<toon>",),
    subjects=("fox",),
    styles=("cartoon",),
    version="1",
    created_at=NOW.replace(year=2024),
    lineage="toon",
)
OWN = (
    Card(
        "bag",
        "/m/heart_bag.safetensors",
        triggers=("<heart-bag>",),
        subjects=("bag",),
        styles=("realistic",),
    ),
    Card(
        "taxi",
        "/m/checker_taxi.safetensors",
        triggers=("<checker-taxi>",),
        subjects=("car", "taxi"),
    ),
    Card(
        "saber",
        "/m/one.safetensors",
        triggers=("saber_(fate)", "1girl", "blue armor"),
        subjects=("saber",),
    ),
    Card(
        "alter", "/m/two.safetensors", triggers=("saber_alter_(fate)", "1girl"), subjects=("saber",)
    ),
    Card("rem", "/m/three.safetensors", triggers=("ram_(maid)", "re:zero"), subjects=("girl",)),
    TOON,
    replace(TOON, id="toon-2", path="/m/toon_v2.safetensors", version="2", created_at=NOW),
)


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository([*cards(), *OWN], embedder=None)


@pytest.mark.parametrize(
    ("request_text", "card", "unused"),
    [
        ("a red car <heart-bag>", "bag", "'car'"),
        ("a realistic cat on the beach <heart-bag>", "bag", "'cat'"),
        ("<HEART_BAG> in my newest realistic car", "bag", "'car'"),
        ("<blue armor> on a horse", "saber", "'horse'"),  # an alias
        ("saber_(fate) on a horse", "saber", "'horse'"),
        (r"1girl, (saber_\(fate\):1.2)", "saber", None),
        ("please draw Saber (Fate).", "saber", None),
        ("a saber_alter_(fate), a cat", "alter", "'cat'"),
        ("re:zero cosplay", "rem", None),
        ("<toon> on the beach", "toon-2", None),  # of several builds the newest
        ("<toon> version 1", "toon-1", None),
        ("a cat like <toon> version 1", "toon-1", "'cat'"),
        ("<bear-real-v4> in cartoon style", "bear-real-4", "'cartoon style'"),
    ],
)
def test_an_exact_trigger_beats_words_and_what_they_said_is_told(
    repository, request_text, card, unused
):
    decision = check_in(request_text, repository, now=NOW)
    assert decision.card
    assert decision.card.id == card
    said = [
        notice for notice in decision.notices if notice.startswith("Not used to choose the model: ")
    ]
    assert said == ([f"Not used to choose the model: {unused}."] if unused else [])


@pytest.mark.parametrize(
    "request_text",
    ["a realistic dog with a heart bag", "1girl, my latest realistic dog", "a dog :3"],
)
def test_usual_words_and_tags_of_everybody_are_no_exact_triggers(repository, request_text):
    decision = check_in(request_text, repository, now=NOW)
    assert all(card.id.startswith("dog") for card in [decision.card] if card)
    assert not decision.intent.names


def test_two_exact_triggers_are_a_question(repository):
    decision = check_in("<toon> and <heart-bag>", repository, now=NOW)
    assert {card for choice in decision.question.choices for card in choice.card_ids} == {
        "toon-1",
        "toon-2",
        "bag",
    }


def test_a_trigger_that_no_model_has_is_told(repository):
    decision = check_in("<hart-bag> and my latest cat", repository, now=NOW)
    assert decision.notices[0] == "No model here has the trigger <hart-bag>."


def test_a_model_that_was_chosen_by_hand_is_taken_and_what_the_words_said_is_told(repository):
    chosen = Reference.of(OWN[0])
    decision = check_in("my latest cat in cartoon style <toon>", repository, now=NOW, chosen=chosen)
    assert decision.card.id == "bag"
    assert decision.prompt.startswith("<heart-bag>")
    assert decision.notices == (
        "Not used to choose the model: 'cat' and 'cartoon style'.",
        "The request names another model: toon_v1.",
    )
