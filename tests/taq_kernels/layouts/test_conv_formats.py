"""Test the two Conv2d formats: error, bytes, and what a host does with weights.

It moves and saves them, and adds a LoRA.
"""

from __future__ import annotations

import pytest
import torch
from comfy_kitchen.tensor import QuantizedTensor, get_layout_class

from personalq.taq_kernels import quantize_weight
from personalq.taq_kernels.layouts import conv_int4, conv_int8
from personalq.taq_kernels.layouts.formats import stored_bytes

PRESETS = ["W8A8", "W4A8"]


@pytest.fixture
def weight() -> torch.Tensor:
    return 0.02 * torch.randn(48, 64, 3, 3, generator=torch.Generator().manual_seed(0))


def relative_error(a, b):
    return ((a.float() - b.float()).norm() / b.float().norm()).item()


@pytest.mark.parametrize(("preset", "bound"), [("W8A8", 0.009), ("W4A8", 0.086)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_error_on_normal_weights(weight, preset, bound, dtype):
    stored = quantize_weight(weight.to(dtype), preset)
    assert stored.dtype == stored.dequantize().dtype == dtype
    assert stored.shape == stored.dequantize().shape == weight.shape
    assert relative_error(stored.dequantize(), weight) < bound


def test_bytes_by_hand(weight):
    values = weight.numel()
    assert stored_bytes(quantize_weight(weight, "W8A8")) == values + 4 * 48
    assert stored_bytes(quantize_weight(weight, "W4A8")) == values // 2 + values // 32 + 4 * 48


def test_at_most_4_3_bits_for_a_real_layer():
    stored = quantize_weight(torch.randn(320, 320, 3, 3), "W4A8")
    assert stored_bytes(stored) * 8 / stored.numel() <= 4.3


def test_int8_by_hand():
    weight = torch.tensor([[[[1.27]], [[-0.5]]], [[[0.0]], [[0.0]]]])
    stored = QuantizedTensor.from_float(weight, conv_int8.NAME)
    assert stored._qdata.flatten().tolist() == [127, -50, 0, 0]
    assert stored.params.scale[0] == pytest.approx(0.01)
    assert stored.dequantize()[1].abs().max() == 0


def test_int4_decodes_codes_times_group_scale_times_scale(weight):
    stored = quantize_weight(weight, "W4A8")
    taps = conv_int4.Int4ConvLayout.int8_taps(stored._qdata, stored.params)
    assert taps.dtype == torch.int8
    assert taps.shape == (3, 3, 48, 64)
    group_scale = stored.params.group_scale.int()
    assert group_scale.abs().min() >= 1
    assert group_scale.abs().max() <= 15
    codes = taps.int().unflatten(-1, (-1, 32)) / group_scale[..., None]
    assert torch.equal(codes, codes.round())
    assert (codes.min(), codes.max()) == (-8, 7)
    by_hand = (taps.float() * stored.params.scale[:, None]).permute(2, 3, 0, 1)
    assert torch.equal(stored.dequantize(), by_hand)


def test_int4_group_scales_follow_the_groups(weight):
    weight[:, 32:] /= 10
    stored = quantize_weight(weight, "W4A8")
    assert (
        relative_error(stored.dequantize()[:, 32:], weight[:, 32:]) < 0.2
    )  # one scale a channel would lose them
    assert (
        stored.params.group_scale[..., 0].abs().float().mean()
        > 5 * stored.params.group_scale[..., 1].abs().float().mean()
    )


def test_int4_does_not_depend_on_the_chunk(weight, monkeypatch):
    whole = quantize_weight(weight, "W4A8")
    monkeypatch.setattr(conv_int4, "_CHUNK", 1000)
    parts = quantize_weight(weight, "W4A8")
    assert torch.equal(whole._qdata, parts._qdata)
    torch.testing.assert_close(whole.params.scale, parts.params.scale)


def test_int4_all_zero_weight():
    assert quantize_weight(torch.zeros(8, 32, 1, 1), "W4A8").dequantize().abs().max() == 0


@pytest.mark.parametrize("preset", PRESETS)
def test_a_broken_weight_stays_visible(weight, preset):
    """A weight that is no number makes its output channel none, as it does in Linear."""
    weight[2, 5, 1, 1] = torch.nan
    decoded = quantize_weight(weight, preset).dequantize().flatten(1)
    assert decoded[2].isnan().all()
    assert decoded.isfinite().all(1).sum() == len(weight) - 1


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="multiples of 32; got 4"):
        QuantizedTensor.from_float(torch.zeros(320, 4, 3, 3), conv_int4.NAME)
    for name in (conv_int4.NAME, conv_int8.NAME):
        with pytest.raises(ValueError, match=r"\[O, C, kh, kw\]"):
            QuantizedTensor.from_float(torch.zeros(32, 32), name)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_lora_on_top_is_kept(weight, preset):
    """As a host does it: dequantize, add, quantize again with a seed for stochastic rounding."""
    stored = quantize_weight(weight, preset)
    change = 2e-4 * torch.ones_like(weight)  # at 8 bits about half a step, at 4 bits a fiftieth
    again = stored.requantize_from_float(
        stored.dequantize() + change,
        scale="recalculate",
        stochastic_rounding=12345,
        inplace_ops=True,
    )
    assert again._layout_cls == stored._layout_cls
    gained = (again.dequantize() - stored.dequantize()).mean().item()
    assert gained == pytest.approx(2e-4, rel=0.25)


@pytest.mark.parametrize("preset", PRESETS)
def test_quantizing_again_without_change_is_close(weight, preset):
    stored = quantize_weight(weight, preset)
    again = stored.requantize_from_float(
        stored.dequantize(), scale="recalculate", stochastic_rounding=None
    )
    assert relative_error(again.dequantize(), stored.dequantize()) < (
        0.001 if preset == "W8A8" else 0.05
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_state_dict_round_trip(weight, preset):
    stored = quantize_weight(weight, preset)
    state = stored.state_dict("conv.weight")
    layout = get_layout_class(stored._layout_cls)
    tensors = {key.removeprefix("conv.weight"): value for key, value in state.items()}
    loaded = layout.load(tensors, stored.dtype, tuple(stored.shape), {})
    assert torch.equal(loaded.dequantize(), stored.dequantize())
    assert sum(tensor.nbytes for tensor in state.values()) == stored_bytes(stored)


@pytest.mark.parametrize("preset", PRESETS)
def test_tensor_operations_of_hosts(weight, preset):
    stored = quantize_weight(weight, preset)
    assert stored.to(torch.float16).dequantize().dtype == torch.float16
    for copy in (stored.clone(), stored.detach(), stored.to("cpu"), stored.contiguous()):
        assert torch.equal(copy.dequantize(), stored.dequantize())
    empty = torch.empty_like(stored)
    empty.copy_(stored)
    assert torch.equal(empty.dequantize(), stored.dequantize())


@pytest.mark.parametrize("preset", PRESETS)
def test_the_original_weight_is_not_changed(preset):
    weight = torch.randn(32, 32, 1, 1)
    before = weight.clone()
    quantize_weight(weight, preset)
    assert torch.equal(weight, before)
