"""Test which noun phrases of a request may stand for a model."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.tests.checkin.own_loras import own
from personalq.tests.checkin.world import NOW


def lora(name: str, **fields) -> Card:
    return Card(id=name, path=f"/m/{name}.safetensors", kind="lora", base_model="sd15", **fields)


@pytest.fixture(scope="module")
def repository() -> Repository:
    cards = [
        lora("dog_watercolour", triggers=("<dog>",), subjects=("dog",), styles=("watercolour",)),
        lora("taxi", triggers=("<taxi>",), subjects=("taxi",)),
        lora("ballpen", triggers=("ballpen style",), subjects=("style",), styles=("ballpen",)),
        lora("bear_a", triggers=("<bear>",), subjects=("bear",)),
        lora("bear_b", triggers=("<bruin>",), subjects=("bear",), styles=("cartoon",)),
    ]
    return Repository(cards, embedder=None)


def names(decision) -> list[str]:
    return [card.id for card in decision.cards]


@pytest.mark.parametrize("request_", ["a taxi in watercolour", "taxi on a hill, watercolour"])
def test_a_style_lends_no_other_thing(repository, request_) -> None:
    decision = check_in(request_, repository, now=NOW)
    assert "dog_watercolour" not in names(decision)
    assert decision.cards or "taxi" in [near.card.id for near in decision.near]


def test_a_style_of_its_own_joins(repository) -> None:
    decision = check_in("a taxi in ballpen style", repository, now=NOW)
    assert {*names(decision)} == {"taxi", "ballpen"}


@pytest.mark.parametrize("doing", ["", " playing together in a garden", " together on a sofa"])
def test_two_things_that_do_something_together_are_two(repository, doing) -> None:
    decision = check_in(f"a bear and a taxi{doing}", repository, now=NOW)
    assert decision.question
    assert {one for choice in decision.question.choices for one in choice.card_ids} == {
        "bear_a",
        "bear_b",
    }


def test_the_end_of_a_name_is_no_word_of_the_scene() -> None:
    cards = [lora("gosia", triggers=("gosiaw woman",)), lora("thrain", triggers=("thrain dwarf",))]
    decision = check_in("gosia in the rain", Repository(cards, embedder=None), now=NOW)
    assert names(decision) == ["gosia"], decision.why


@pytest.mark.parametrize(
    "request_", ["wastl as a puppy in a basket", "wastl, as a puppy, in a basket"]
)
def test_as_what_somebody_is_drawn_is_no_model_of_its_own(tmp_path, request_) -> None:
    own(tmp_path, "waldi_v2", 10, "waldi_d dachshund", "puppy, basket, sofa")
    own(tmp_path, "wastl_v1", 11, "wastl_d", "garden")
    decision = check_in(request_, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == ["wastl_v1"], decision.why


def test_a_trainers_default_name_is_no_name(tmp_path) -> None:
    own(tmp_path, "anna", 10, "annaw woman")
    own(tmp_path, "last", 11, "gwn teaware")
    decision = check_in(
        "anna last week, seaside", Repository.open(tmp_path, embedder=None), now=NOW
    )
    assert "last" not in [card.name for card in decision.cards], decision.why


def test_one_as_well_as_another_are_two(tmp_path) -> None:
    own(tmp_path, "misty", 10, "mstcat cat")
    own(tmp_path, "rex", 11, "rxdog dog")
    decision = check_in(
        "misty as well as my dog", Repository.open(tmp_path, embedder=None), now=NOW
    )
    assert {card.name for card in decision.cards} == {"misty", "rex"}, decision.why
