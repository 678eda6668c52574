"""Test the strengths of LoRAs that are used together."""

from __future__ import annotations

import pytest

from personalq.checkin import Card
from personalq.checkin.decision.serving.strengths import strengths


def lora(strength: float = 1.0, name: str = "bear") -> Card:
    return Card(name, path=f"/loras/{name}.safetensors", kind="lora", strength=strength)


def named(own: list[float]) -> list[Card]:
    return [lora(strength, f"bear_{place}") for place, strength in enumerate(own)]


CHECKPOINT = Card("base", path="/checkpoints/base.safetensors")
LIGHTNING = lora(name="sdxl_lightning_4step_lora")


@pytest.mark.parametrize("own", [0.62, 1.0, -2.0, 0.01])
def test_one_lora_keeps_its_own_strength(own):
    assert strengths([lora(own)]) == (own,)
    assert strengths([CHECKPOINT, lora(own)]) == (1.0, own)


def test_several_are_applied_more_weakly_in_whole_steps():
    assert strengths(named([1.0, 1.0])) == (0.85, 0.85)
    assert strengths(named([0.8, 0.6, 1.2])) == (0.6, 0.45, 0.9)
    assert strengths(named([1.0] * 4)) == (0.7,) * 4
    assert strengths(named([-1.0, 0.02, 0.0])) == (-0.75, 0.05, 0.0)
    assert strengths([]) == ()


def test_a_lora_for_few_steps_keeps_its_own_and_does_not_count():
    assert strengths([lora(0.9), LIGHTNING]) == (0.9, 1.0)
    assert strengths([lora(), LIGHTNING, lora(name="cat")]) == (0.85, 1.0, 0.85)


def test_only_what_acts_on_the_same_part_of_the_picture_counts():
    bear, cat, dress, ink = (lora(name=name) for name in ("bear", "cat", "dress", "ink"))
    assert strengths([bear, cat], [["bear"], ["cat"]]) == (1.0, 1.0)
    assert strengths([bear, cat, ink], [["bear"], ["cat"]]) == (0.85, 0.85, 0.85)
    assert strengths([bear, dress, cat], [["bear", "dress"], ["cat"]]) == (0.85, 0.85, 1.0)
    assert strengths([bear, LIGHTNING, cat], [["bear"], ["cat"]]) == (1.0, 1.0, 1.0)
