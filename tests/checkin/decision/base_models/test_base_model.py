"""Test decisions with a base model that is set beside the request."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in


def lora(name: str, subject: str, base: str) -> Card:
    return Card(name, f"/m/{name}.safetensors", "lora", subjects=(subject,), base_model=base)


@pytest.fixture(scope="module")
def library() -> Repository:
    cards = (lora("dog_xl", "dog", "sdxl"), lora("dog_flux", "dog", "flux1"))
    return Repository([*cards, lora("cat_old", "cat", "sd15")], embedder=None)


def test_other_base_models_of_the_request_do_not_count(library):
    decision = check_in("dog for sd15 or flux", library, base_model="sdxl")
    assert decision.card.name == "dog_xl"
    assert len(decision.notices) == 1
    assert decision.notices[0].startswith("Not used to choose the model: ")
    assert not check_in("dog for sdxl", library, base_model="sdxl").notices


def test_it_says_nothing_of_what_is_wanted():
    library = Repository([Card("cat", "/m/cat.safetensors", "lora", base_model="sd15")])
    assert check_in("hello", library, base_model="sd15").outcome == "no_match"
    assert check_in("something for sd15", library).card.name == "cat"


def test_it_is_said_where_it_leaves_nothing(library):
    decision = check_in("my dog", library, base_model="sd15")
    assert decision.why.startswith("No SD 1.5 dog")


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ("gosia pony, at a comic con", ["gosia_pony"]),
        ("gosia zit, in the rain", ["gosia_zit"]),
        ("gosia flx, in the rain", ["gosia_flx"]),
        ("rosie pony, at a fair", ["rosie"]),
    ],
)
def test_a_short_base_model_behind_a_name(request_, names) -> None:
    cards = (
        lora("gosia_pony", "woman", "pony"),
        lora("gosia_zit", "woman", "z-image"),
        lora("gosia_flx", "woman", "flux1"),
        lora("rosie", "pony", "sdxl"),
    )
    decision = check_in(request_, Repository(cards, embedder=None))
    assert [card.name for card in decision.cards] == names, decision.why


def test_a_base_model_behind_a_name_that_it_has_no_model_for() -> None:
    cards = (lora("gosia_flux", "woman", "flux1"), lora("anna_pony", "woman", "pony"))
    decision = check_in("gosia pony, at a comic con", Repository(cards, embedder=None))
    assert (decision.outcome, decision.why[:14]) == ("no_match", "No Pony gosia;")


def test_it_does_not_say_that_there_is_none_for_a_base_model_that_has_some() -> None:
    cards = (lora("biscuit_xl", "cat", "sdxl"), lora("anna_zit", "woman", "z-image"))
    decision = check_in("a cup of tea with biscuits, z image", Repository(cards, embedder=None))
    assert (decision.outcome, decision.why) == ("no_match", "There is no 'cup of tea' here.")


def test_a_name_that_ends_as_a_base_model_does_is_a_name() -> None:
    cards = (lora("obi_wan", "man", "sdxl"), lora("marie", "woman", "sdxl"))
    library = Repository(cards, embedder=None)
    assert [card.name for card in check_in("obi wan", library).cards] == ["obi_wan"]
    assert [card.name for card in check_in("marie klein, at a lake", library).cards] == ["marie"]


def test_a_base_model_that_is_set_is_said_where_nothing_fits(library) -> None:
    said = "Only models for {} are looked at: `base_model` is set to it."
    nothing = check_in("a zeppelin", library, base_model="sdxl")
    assert nothing.outcome == "no_match"
    assert said.format("SDXL") in nothing.notices
    assert not [one for one in check_in("a zeppelin", library).notices if "set to" in one]
