"""Test the measurement of a UNet in ComfyUI, on the demo's UNet with random weights."""

from __future__ import annotations

import pytest

from personalq.bench import full_size

WAYS = ("fp16", "W8A8", "W8", "fp16, LoRA", "W8A8, LoRA")


@pytest.fixture(scope="module")
def measured(comfyui) -> dict:
    return full_size.measure(comfyui, "demo", side=64, steps=2, repeats=2, ways=WAYS)


def test_every_way_is_measured(measured):
    assert measured["failed"] == {}
    assert tuple(measured["ways"]) == WAYS
    assert all(one["step_ms"] > 0 for one in measured["ways"].values())


def test_memory_and_errors_are_those_of_the_presets(measured):
    found = measured["ways"]
    assert found["W8A8"]["weights"] < 0.6 * found["fp16"]["weights"]
    assert found["fp16"]["error"] == 0
    for name in ("W8A8", "W8", "W8A8, LoRA"):
        assert 0 < found[name]["error"] < 0.1, name


def test_the_same_run_gives_the_same_latent(measured):
    assert {one["again"] for one in measured["ways"].values()} == {0}


def test_a_lora_is_compared_with_fp16_and_the_same_lora(measured):
    text = full_size.report(measured)
    lines = {line.split(" | ")[0].strip("| "): line for line in text.splitlines()}
    ratio = lines["W8A8, LoRA"].split(" | ")[2]
    ways = measured["ways"]
    expected = ways["W8A8, LoRA"]["step_ms"] / ways["fp16, LoRA"]["step_ms"]
    assert float(ratio) == pytest.approx(expected, abs=0.006)


def test_one_way_that_fails_does_not_cost_the_others(measured):
    told = measured | {"failed": {"W4A8": "RuntimeError: no kernel"}}
    assert "W4A8: RuntimeError: no kernel" in full_size.report(told)
