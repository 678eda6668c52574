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


def test_it_says_nothing_of_what_is_wanted():
    library = Repository([Card("cat", "/m/cat.safetensors", "lora", base_model="sd15")])
    assert check_in("hello", library, base_model="sd15").outcome == "no_match"
    assert check_in("something for sd15", library).card.name == "cat"


def test_it_is_said_where_it_leaves_nothing(library):
    decision = check_in("my dog", library, base_model="sd15")
    assert decision.why.startswith("No SD 1.5 dog")
