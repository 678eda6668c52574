"""Test the words of the library that are offered where nothing fits."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.tests.checkin.world import NOW


@pytest.fixture(scope="module")
def library() -> Repository:
    cards = [
        Card(f"{name}_v2", f"/m/{name}_v2.safetensors", kind="lora", triggers=(f"<{name}>",))
        for name in ("wolf", "taxi")
    ]
    return Repository(cards, embedder=None)


def near(request: str, library: Repository):
    decision = check_in(request, library, now=NOW)
    return decision.outcome, dict(decision.near_words)


def test_words_that_look_like_those_that_fit_nothing(library):
    assert near("a taix", library) == ("no_match", {"taix": ("taxi",)})


def test_nothing_is_near_a_word_of_another_kind(library):
    assert near("a zebra", library) == ("no_match", {})


def test_an_english_word_is_not_mistyped(library):
    assert near("a tax", library) == ("no_match", {})


def test_where_a_model_fits_there_are_none(library):
    assert near("a wolf", library) == ("select", {})


def test_an_english_word_may_lack_a_doubled_letter() -> None:
    card = Card("pistacchio_v1", "/m/pistacchio_v1.safetensors", kind="lora", triggers=("pstcat",))
    there = Repository([card], embedder=None)
    assert near("pistachio in a box", there) == ("no_match", {"pistachio": ("pistacchio",)})
