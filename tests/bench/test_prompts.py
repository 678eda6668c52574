"""Test that the published prompt sets are complete and read correctly."""

from __future__ import annotations

import pytest

from personalq.bench.prompts import SETS, prompts


def test_counts():
    assert [len(prompts(name, "sks", "dog")) for name in ("dreambooth", "parti", "coco")] == [
        25,
        1632,
        1000,
    ]
    assert all(prompt.strip() for name in SETS for prompt in prompts(name, "sks", "dog"))


def test_dreambooth_has_prompts_for_things_and_for_what_lives():
    assert prompts("dreambooth", "sks", "dog")[10] == "a sks dog wearing a red hat"
    assert (
        prompts("dreambooth", "sks", "vase")[10]
        == "a sks vase with a wheat field in the background"
    )
    assert prompts("dreambooth", "", "vase")[0] == "a vase in the jungle"


def test_what_cannot_be_read():
    with pytest.raises(
        ValueError, match="there is no prompt set 'x'; there are dreambooth, parti, coco"
    ):
        prompts("x")
    with pytest.raises(ValueError, match="need a class word"):
        prompts("dreambooth", "sks", " ")
