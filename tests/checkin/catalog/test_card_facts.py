"""Test what a card is known to show."""

from __future__ import annotations

import pytest

from personalq.checkin.catalog.card_facts import facts_of
from personalq.checkin.catalog.cards import Card


@pytest.mark.parametrize(
    ("trigger", "captions", "look"),
    [
        ("maeveink style", {}, "ink"),
        ("rz0 style", {"risograph print": 0.94}, "risograph"),
        ("rz0 style", {"risograph print": 0.2}, None),
        ("mossdog", {"risograph print": 0.94}, None),
        ("pink style", {}, None),
    ],
)
def test_a_trained_style_has_the_look_of_its_captions_and_trigger(trigger, captions, look):
    card = Card("untitled", None, "lora", (trigger,), captions=captions)
    found = {word for phrase in facts_of(card).styles for word in phrase}
    assert found & {"ink", "risograph"} == ({look} if look else set())


def test_a_model_shows_what_most_captions_in_sentences_name():
    captions = {f"mira, a woman in room {number}": 0.05 for number in range(20)} | {"a cat": 0.05}
    kinds = facts_of(Card("mira", None, "lora", captions=captions)).kinds
    assert "person" in kinds
    assert "animal" not in kinds
