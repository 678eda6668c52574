"""Test which weight gets which format."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from personalq.taq_kernels import quantize_weight, quantized_ops
from personalq.taq_kernels.backends import int8_conv, operators, registry
from personalq.taq_kernels.backends.backend import Norm
from personalq.taq_kernels.layouts.formats import (
    LAYOUTS,
    choose_layout,
    layer_weight,
    stored_bytes,
)
from personalq.taq_kernels.layouts.linear_int4 import NAME as INT4_LINEAR
from personalq.taq_kernels.layouts.linear_int8 import NAME as INT8_LINEAR
from personalq.taq_kernels.spec import Activations


@pytest.mark.parametrize(
    ("shape", "bits", "layout", "rotation"),
    [
        ((1280, 1280), 8, INT8_LINEAR, None),
        ((320, 320), 4, INT8_LINEAR, None),
        ((640, 2560), 4, INT4_LINEAR, 256),
        ((320, 16640), 4, INT8_LINEAR, None),
        ((320, 100), 4, INT8_LINEAR, None),
        ((320, 320, 3, 3), 8, "PersonalQInt8Conv", None),
        ((320, 320, 3, 3), 4, "PersonalQInt4Conv", None),
        ((320, 12, 3, 3), 4, "PersonalQInt8Conv", None),
    ],
)
def test_format_by_shape(shape, bits, layout, rotation):
    chosen = choose_layout(shape, bits)
    assert (chosen.name, chosen.options.get("convrot_groupsize")) == (layout, rotation)


@pytest.mark.parametrize(("preset", "bound", "bits"), [("W8A8", 0.009, 8.2), ("W4A8", 0.075, 4.7)])
def test_linear_error_bytes_and_products(preset, bound, bits):
    generator = torch.Generator().manual_seed(0)
    weight, x = (
        torch.randn(320, 512, generator=generator) / 22,
        torch.randn(40, 512, generator=generator),
    )
    stored = quantize_weight(weight, preset)
    assert ((stored.dequantize() - weight).norm() / weight.norm()).item() < bound
    assert stored_bytes(stored) * 8 / weight.numel() < bits
    expected = functional.linear(x, stored.dequantize())
    assert ((functional.linear(x, stored) - expected).norm() / expected.norm()).item() < 0.015


def test_linear_bytes_by_hand():
    assert stored_bytes(quantize_weight(torch.randn(320, 64), "W8A8")) == 320 * 64 + 320 * 4
    codes, group_scales, scales, codebook = 320 * 256 // 2, 320 * 256 // 16, 320 * 4, 16 * 4
    assert (
        stored_bytes(quantize_weight(torch.randn(320, 256), "W4A8"))
        == codes + group_scales + scales + codebook
    )


def test_small_weights_in_half_precision_keep_their_codes():
    """Scales near the smallest half-precision numbers: 1e-4 / 127."""
    weight = (1e-4 * torch.randn(64, 64, generator=torch.Generator().manual_seed(0))).half()
    stored = quantize_weight(weight, "W8A8")
    assert stored._qdata.abs().amax(-1).min() == 127
    assert (
        (stored.dequantize().float() - weight.float()).norm() / weight.float().norm()
    ).item() < 0.01


def test_quantized_or_other_weights_are_refused():
    stored = quantize_weight(torch.randn(64, 64), "W8A8")
    with pytest.raises(ValueError, match="quantized already"):
        quantize_weight(stored, "W8A8")
    with pytest.raises(ValueError, match=r"only Linear .* got shape \(4, 4, 3\)"):
        quantize_weight(torch.zeros(4, 4, 3), "W8A8")
    with pytest.raises(ValueError, match="unknown preset"):
        quantize_weight(torch.zeros(64, 64), "W2A2")


def test_every_format_has_its_bits():
    formats = {
        choose_layout(shape, bits).name: bits
        for shape in ((64, 256), (64, 64, 1, 1))
        for bits in (4, 8)
    }
    assert formats == {name: layout.bits for name, layout in LAYOUTS.items()}


@pytest.mark.parametrize(
    ("module", "is_layer"),
    [
        (nn.Linear(2, 2), True),
        (nn.Conv2d(2, 2, 1), True),
        (nn.Conv1d(2, 2, 1), False),
        (nn.ConvTranspose2d(2, 2, 1), False),
        (nn.GroupNorm(1, 2), False),
        (nn.Embedding(2, 2), False),
        (nn.SiLU(), False),
    ],
)
def test_what_counts_as_a_layer(module, is_layer):
    assert (layer_weight(module) is not None) is is_layer


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_products_of_integers_are_called_without_torchs_operators_around_them(preset):
    """They cost more than many a product on a GPU; what is computed is the same, bit for bit."""
    stored = quantize_weight(torch.randn(320, 512), preset)
    x, bias = torch.randn(2, 7, 512), torch.randn(320)
    called = []

    class Recorded(TorchDispatchMode):
        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            called.append(operator.namespace)
            return operator(*args, **(kwargs or {}))

    with Recorded():
        out = quantized_ops.linear(x, stored, bias, Activations())
    assert set(called) == {"aten"}
    assert torch.equal(out, functional.linear(x, stored, bias))


@pytest.mark.parametrize("tokens", [(2, 7), (1,), ()])
def test_where_comfy_kitchens_kernels_are_off_linear_is_a_convolution(monkeypatch, tokens):
    """Emulated on the CPU, where the operator of the Triton kernel runs its reference."""
    at = registry.Machine("cuda", (8, 9), (3, 6), "eager")
    stored = quantize_weight(torch.randn(320, 512), "W8A8")
    x, bias = torch.randn(*tokens, 512).half(), torch.randn(320).half()
    expected = functional.linear(x.float(), stored, bias.float())
    monkeypatch.setattr(registry, "machine", lambda _: at)
    out = quantized_ops.linear(x, stored, bias, Activations())
    assert out.shape == expected.shape
    assert out.dtype == x.dtype
    assert ((out - expected).norm() / expected.norm()).item() < 1e-3
    exact = quantized_ops.linear(x.float(), stored, bias.float(), Activations())
    assert ((exact - expected).norm() / expected.norm()).item() < 1e-6
    monkeypatch.setattr(int8_conv, "MAX_ELEMENTS", 512 * 3 + 1)
    assert torch.equal(quantized_ops.linear(x, stored, bias, Activations()), out)


def test_linear_as_a_convolution_takes_one_scale_for_all_outputs(monkeypatch):
    stored = quantize_weight(torch.randn(64, 64), "W8A8")
    same = stored.params.scale.new_full((64, 1), 0.01)
    x, runs_on = torch.randn(5, 64), int8_conv.Int8Conv("", "")
    outs = []
    for scale in (same, same[0, 0]):
        object.__setattr__(stored.params, "scale", scale)
        outs.append(runs_on.linear(x, stored, None))
    assert torch.equal(*outs)


@pytest.mark.parametrize("normed", [False, True], ids=["plain", "normed"])
@pytest.mark.parametrize("outputs", [16, 64])
def test_a_batch_beyond_32_bits_is_convolved_in_parts(monkeypatch, normed, outputs):
    """Offsets in kernels are 32-bit; about 70 pictures of SDXL have more elements."""
    weight = quantize_weight(torch.randn(outputs, 32, 3, 3) / 17, "W8A8")
    x, geometry = torch.randn(5, 32, 6, 6), ([1, 1], [1, 1], [1, 1])
    norm = Norm(torch.ones(32), torch.zeros(32), 8, 1e-5)
    runs_on = int8_conv.Int8Conv("operators", "")

    def run():
        if normed:
            return runs_on.normed_conv2d(x, norm, weight, None, *geometry)
        return runs_on.conv2d(x, weight, None, *geometry)

    whole, sizes = run(), []
    name = "normed_conv2d_int8" if normed else "conv2d_int8"
    operator = getattr(operators, name)
    monkeypatch.setattr(
        operators, name, lambda x, *rest: sizes.append(len(x)) or operator(x, *rest)
    )
    monkeypatch.setattr(int8_conv, "MAX_ELEMENTS", 2 * max(32, outputs) * 36 + 1)
    torch.testing.assert_close(run(), whole)
    assert sizes == [2, 2, 1]
