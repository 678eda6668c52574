"""Test the measurement of several personalised models served from one quantized base.

It runs in a separate process, on the demo's UNet.
"""

from __future__ import annotations

import pytest

from personalq.bench.taq import everything


@pytest.fixture(scope="module")
def served(comfyui, tmp_path_factory) -> dict:
    return everything._served(comfyui, tmp_path_factory.mktemp("serving"), "demo")


def test_pooled_models_cost_next_to_nothing(served):
    for found in served["presets"].values():
        assert found["again_s"] < 0.05 < found["first_s"]
        assert found["known_lora_s"] < 0.05
        assert found["new_lora_s"] < 0.3


def test_a_lora_beside_the_base_is_nearer_than_none(served):
    found = served["presets"]["W8A8"]
    assert found["lora_error"] < found["lora_left_out_error"] / 2
    assert served["lora_bytes"] < 0.05 * served["fp16_bytes"]


def test_a_difference_is_as_near_as_the_whole_and_smaller(served):
    for name, found in served["presets"].items():
        assert found["weights_error"] <= found["weights_error_whole"]
        assert found["difference_error"] < 1.3 * found["whole_error"]
        assert found["difference_bytes"] < found["resident_bytes"], name


def test_the_table_says_what_is_synthetic(served):
    text = everything._serving(served)
    assert "| demo | W8A8 | W4A8 |" in text
    assert "synthetic" in text
