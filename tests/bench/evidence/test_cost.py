"""Test bytes and bit operations against counts by hand."""

from __future__ import annotations

import pytest
import torch

from personalq.bench.evidence.cost import (
    FULL_PRECISION,
    Census,
    bops,
    census,
    key_value_bytes,
    protected_count,
    weight_bytes,
)

BITS = {"q": 8, "k": 8, "v": 8, "a": 4}


def test_bytes_of_quantized_and_kept_weights():
    """64x128: at 8 bits one byte a value and a float32 scale for each of 64 rows; all else two
    bytes a value.
    """
    module = torch.nn.Sequential(torch.nn.Linear(128, 64), torch.nn.Linear(64, 8))
    kept = (64 + 64 * 8 + 8) * 2
    about = {"layers": {"0": (8, 8), "1": (None, None)}, "attention": {}, "protected": "none"}
    assert weight_bytes(module, about) == kept + 64 * 128 + 64 * 4
    assert weight_bytes(module, FULL_PRECISION) == kept + 64 * 128 * 2


def test_bops_by_hand():
    """A layer of 100 MACs at 4 x 8 bits, a kept one of 10, a cross-attention of 80 MACs for Q K^T
    and for A V.
    """
    counted = Census({"a": 100, "b": 10}, {"x.attn2": 80}, text_rows=8)
    about = {
        "layers": {"a": (4, 8), "b": (None, None)},
        "attention": {"x.attn2": BITS},
        "protected": "BOS",
    }
    layers = 100 * 32 + 10 * 256
    assert bops(counted, about, 0, steps=10) == layers + 80 * 64 + 80 * 32
    assert bops(counted, about, 2, steps=10) == layers + 60 * 64 + 60 * 32 + 20 * 2 * 256


def test_self_attention_has_no_protected_rows_and_none_means_half_precision():
    counted = Census({}, {"x.attn1": 80}, text_rows=8)
    about = {"layers": {}, "attention": {"x.attn1": BITS}, "protected": "BOS"}
    assert bops(counted, about, 2, steps=1) == 80 * 64 + 80 * 32
    assert bops(counted, FULL_PRECISION, 0, steps=1) == 160 * 256


def test_projections_of_the_text_run_once_for_all_steps():
    counted = Census({"x.attn2.to_k": 100}, {}, text_rows=8)
    quantized = {"layers": {"x.attn2.to_k": (8, 8)}, "attention": {}, "protected": "none"}
    assert bops(counted, FULL_PRECISION, 0, steps=10) == 10 * 256
    assert bops(counted, quantized, 0, steps=10) == 10 * 64


def test_bytes_of_keys_and_values():
    """8 rows of 32 numbers in K and in V: as they are, quantized with 5 bytes a row, and 2 of 8
    rows kept exact.
    """
    counted = Census({}, {}, text_rows=8, keys={"x.attn2": 8 * 32})
    about = {
        "layers": {},
        "attention": {"x.attn2": {"q": 8, "k": 8, "v": 4, "a": 8}},
        "protected": "BOS",
    }
    assert key_value_bytes(counted, FULL_PRECISION, 8) == 2 * 8 * 32 * 2
    assert key_value_bytes(counted, about, 0) == 8 * (32 + 5) + 8 * (16 + 5)
    assert key_value_bytes(counted, about, 2) == 6 * (32 + 5) + 6 * (16 + 5) + 2 * 2 * 32 * 2


def test_tokens_with_bits_of_their_own():
    """Of 8 rows two are in floating point, two have 8 bits and four 2; queries have 4, and so has A
    at least.
    """
    counted = Census({}, {"x.attn2": 80}, text_rows=8, keys={"x.attn2": 8 * 32})
    about = {
        "layers": {},
        "attention": {"x.attn2": {"q": 4, "k": 4, "v": 4, "a": 4}},
        "protected": "trigger + BOS",
        "mixed": {"x.attn2": {2: 0.5, 8: 0.25, 16: 0.25}},
    }
    products = 40 * (4 * 2 + 4 * 2) + 20 * (4 * 8 + 8 * 8) + 20 * 2 * 256
    assert bops(counted, about, 3, steps=1) == products
    assert key_value_bytes(counted, about, 3) == 2 * (4 * (8 + 5) + 2 * (32 + 5) + 2 * 64)


def test_protected_rows_are_those_of_the_prompts():
    marks = torch.zeros(2, 77)
    marks[0, 3:7], marks[1, 3:5], marks[:, 20:] = 1, 1, -1
    assert protected_count({"protected": "trigger"}, marks) == 3
    assert protected_count({"protected": "trigger + BOS"}, marks) == 4
    assert protected_count({"protected": "EOS"}, marks) == 57
    assert protected_count({"protected": "all"}, marks) == 77
    assert protected_count({"protected": "start token's row of K and column of A"}, marks) == 1


def test_census_of_the_tiny_unet(make_subject):
    """The middle block sees 2x2 positions of 32 channels, 77 rows of text of width 64."""
    counted = census(make_subject())
    name = "mid_block.attentions.0.transformer_blocks.0"
    assert counted.text_rows == 77
    assert counted.attention[f"{name}.attn1"] == 4 * 4 * 32
    assert counted.attention[f"{name}.attn2"] == 4 * 77 * 32
    assert counted.layers[f"{name}.attn2.to_k"] == 77 * 64 * 32
    assert counted.keys[f"{name}.attn2"] == 77 * 32
    assert f"{name}.attn1" not in counted.keys


@pytest.mark.parametrize("bits", [8, 4])
def test_fewer_bits_are_fewer_bops(bits):
    counted = Census({"a": 100}, {}, text_rows=8)
    about = {"layers": {"a": (bits, bits)}, "attention": {}, "protected": "none"}
    assert bops(counted, about, 0, 1) == 100 * bits * bits
