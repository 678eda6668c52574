"""Test attention specifications and presets: nonsense is refused, precision named honestly."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from personalq.taq_kernels import PRESETS, AttentionSpec, Preset
from personalq.taq_kernels.spec import as_preset


@pytest.mark.parametrize("bits", [0, 1, 9, 16, 8.0, "8", True])
def test_bits_outside_2_to_8_are_refused(bits):
    for field in ("q_bits", "kv_bits", "a_bits"):
        with pytest.raises(ValueError, match=field):
            AttentionSpec(**{field: bits})


def test_unknown_quantizer_is_refused():
    with pytest.raises(ValueError, match="uniform, log"):
        AttentionSpec(quantizer="logarithmic")


def test_where_all_tokens_are_protected_nothing_is_quantized():
    spec = AttentionSpec(q_bits=8, kv_bits=4, a_bits=8)
    assert spec.keeping("all") == AttentionSpec()
    assert not spec.keeping("all").quantizes
    assert spec.keeping("trigger + BOS") == spec
    assert spec.quantizes
    assert AttentionSpec(q_bits=8).quantizes


def test_preset_refuses_other_widths():
    with pytest.raises(ValueError, match="weight_bits"):
        Preset("W3A8", 3, 8, AttentionSpec())
    with pytest.raises(ValueError, match="act_bits"):
        Preset("W8A3", 8, 3, AttentionSpec())


def test_unknown_preset_names_the_known_ones():
    with pytest.raises(ValueError, match="W8A8, W4A8"):
        as_preset("W2A2")


def test_cpu_is_native_and_really_multiplies_int8():
    assert PRESETS["W8A8"].precision("cpu").kind == "native"
    a = torch.full((2, 300), 127, dtype=torch.int8)
    assert torch._int_mm(a, a.T).tolist() == [[300 * 127**2] * 2] * 2


def test_four_bit_weights_say_that_they_are_decoded():
    assert "decoded to int8" in PRESETS["W4A8"].precision("cpu").why


def test_a_device_without_int8_products_simulates_them():
    precision = PRESETS["W8A8"].precision("mps")
    assert precision.kind == "simulated"
    assert "mps" in precision.why


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_cuda_without_a_device_simulates_int8_products():
    assert PRESETS["W8A8"].precision("cuda").kind == "simulated"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("W8A4", "simulated"), ("W4A4", "simulated"), ("W8", "weight-only"), ("W4", "weight-only")],
)
def test_presets_without_integer_products_say_so(name, kind):
    assert PRESETS[name].precision("cpu").kind == kind
    assert "decoded to float" in PRESETS[name].precision("cpu").why


def test_one_scale_for_a_whole_tensor_is_simulated():
    assert (
        dataclasses.replace(PRESETS["W8A8"], per_tensor=True).precision("cpu").kind == "simulated"
    )
