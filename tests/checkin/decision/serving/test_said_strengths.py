"""Test strengths that a request says of its LoRAs."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.pinned import PinnedModel
from personalq.checkin.catalog.reference import Reference

CARDS = [
    Card("base", kind="checkpoint", base_model="sdxl"),
    Card("bruno", kind="lora", base_model="sdxl", triggers=("brn0 dog",)),
    Card("tara", kind="lora", base_model="sdxl", triggers=("t4ra girl",)),
    Card("ink_slider", kind="lora", base_model="sdxl"),
    Card("ink_style", kind="lora", base_model="sdxl", triggers=("ink style",)),
]


def asked(request_text: str, chosen=None):
    return check_in(request_text, Repository(CARDS, embedder=None), chosen=chosen)


@pytest.mark.parametrize(
    ("request_text", "strengths", "prompt"),
    [
        ("bruno at 0.8 on a beach", {"bruno": 0.8}, "brn0 dog on a beach"),
        ("bruno with strength 0.5, on a beach", {"bruno": 0.5}, "brn0 dog, on a beach"),
        ("bruno at 70% strength on a beach", {"bruno": 0.7}, "brn0 dog on a beach"),
        ("bruno 0.6 strength", {"bruno": 0.6}, "brn0 dog"),
        ("bruno on a beach, weight: 0,75", {"bruno": 0.75}, "brn0 dog on a beach"),
        ("bruno on a beach, at a strength of 1", {"bruno": 1.0}, "brn0 dog on a beach"),
        (
            "tara at 0.9 and bruno at 0.6 in the garden",
            {"tara": 0.9, "bruno": 0.6},
            "t4ra girl and brn0 dog in the garden",
        ),
        ("bruno in ink style at .4", {"bruno": 0.85, "ink_style": 0.4}, "brn0 dog in ink style"),
        ("bruno at 5 in the morning", {"bruno": 1.0}, "brn0 dog at 5 in the morning"),
        ("ink slider at 2, dusk", {"ink_slider": 2.0}, "ink slider, dusk"),
        ("dusk, ink slider +3", {"ink_slider": 3.0}, "dusk, ink slider"),
        ("ink slider -1.5, dusk", {"ink_slider": -1.5}, "ink slider, dusk"),
        ("ink slider at -1, dusk", {"ink_slider": -1.0}, "ink slider, dusk"),
        ("bruno at -5 degrees", {"bruno": 1.0}, "brn0 dog at -5 degrees"),
        ("bruno on a beach, 0.4", {"bruno": 0.4}, "brn0 dog on a beach"),
        ("bruno 0.6 in ink style", {"bruno": 0.6, "ink_style": 0.85}, "brn0 dog in ink style"),
        (
            "bruno (0.7) and tara (1.1)",
            {"bruno": 0.7, "tara": 1.1},
            "brn0 dog and t4ra girl",
        ),
        ("(bruno:0.8) on a beach", {"bruno": 1.0}, "(brn0 dog:0.8) on a beach"),
        ("bruno lifting a weight", {"bruno": 1.0}, "brn0 dog lifting a weight"),
    ],
)
def test_it_is_used_and_not_drawn(request_text, strengths, prompt) -> None:
    decision = asked(request_text)
    assert {one.name: one.strength for one in decision.cards} == strengths
    assert decision.prompt == prompt


def test_a_strength_by_hand_stays() -> None:
    chosen = (PinnedModel(Reference(name="bruno"), strength=0.3),)
    assert asked("bruno at 0.8 on a beach", chosen).card.strength == 0.3
