"""Test the strength that a description says."""

from __future__ import annotations

import pytest

from personalq.checkin.readers.strength import said_strength


@pytest.mark.parametrize(
    ("description", "strength"),
    [
        ("Frieren from the series. Weight 0.8", 0.8),
        ("Recommended weight: 0.6-0.8", 0.7),
        ("Works best at a strength of .9.", 0.9),
        ("use with 0.7 strength, trigger first", 0.7),
        ("0.6 ~ 1.0 weight", 0.8),
        ("Strength between 0.5 and 0.7", 0.6),
        ("LoRA strength = 1", 1.0),
        ("weights 0.4 to 0.6; denoising strength 0.3", 0.5),
        ("Hires fix with denoising strength 0.35", None),
        ("ControlNet weight 0.5, weight decay 0.01", None),
        ("Trained for 20 epochs at strength 8", None),
        ("strength 100%", None),
        ("A knight of great strength 2 metres tall", None),
        ("The weight of 3 tons", None),
        ("", None),
    ],
)
def test_the_first_that_is_of_the_lora(description: str, strength: float | None) -> None:
    assert said_strength(description) == strength
