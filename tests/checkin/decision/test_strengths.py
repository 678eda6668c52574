"""Test the strengths of LoRAs that are used together."""

from __future__ import annotations

import pytest

from personalq.checkin import Card
from personalq.checkin.decision.strengths import strengths


def lora(strength: float = 1.0, name: str = "bear") -> Card:
    return Card(name, path=f"/loras/{name}.safetensors", kind="lora", strength=strength)


CHECKPOINT = Card("base", path="/checkpoints/base.safetensors")
LIGHTNING = lora(name="sdxl_lightning_4step_lora")


@pytest.mark.parametrize("own", [0.62, 1.0, -2.0, 0.01])
def test_one_lora_keeps_its_own_strength(own):
    assert strengths([lora(own)]) == (own,)
    assert strengths([CHECKPOINT, lora(own)]) == (1.0, own)


def test_several_are_applied_more_weakly_in_whole_steps():
    assert strengths([lora(), lora()]) == (0.85, 0.85)
    assert strengths([lora(0.8), lora(0.6), lora(1.2)]) == (0.6, 0.45, 0.9)
    assert strengths([lora()] * 4) == (0.7,) * 4
    assert strengths([lora(-1.0), lora(0.02), lora(0.0)]) == (-0.75, 0.05, 0.0)
    assert strengths([]) == ()


def test_a_lora_for_few_steps_keeps_its_own_and_does_not_count():
    assert strengths([lora(0.9), LIGHTNING]) == (0.9, 1.0)
    assert strengths([lora(), LIGHTNING, lora()]) == (0.85, 1.0, 0.85)
