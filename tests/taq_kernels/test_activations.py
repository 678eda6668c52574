"""Activations have the same values whether a product of integers rounds them or they are simulated.

The reference for the int8 path is the simulated one, and the other way round: both run here.
"""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch.nn import functional

from personalq.taq_kernels import PRESETS, quantize_, quantize_weight, quantized_ops
from personalq.taq_kernels.activations import simulated
from personalq.taq_kernels.backends import registry
from personalq.taq_kernels.modules import QuantizedConv2d, QuantizedLinear
from personalq.taq_kernels.spec import Activations
from personalq.tests.taq_kernels.unets import SmallUNet

INT8 = Activations()
ROUNDING = 1e-5
"""Bound of a relative error that only the rounding of float32 makes."""
EIGHT_BITS = [name for name, preset in PRESETS.items() if preset.activations.int8_rows]


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def relative_error(a, b):
    return ((a - b).norm() / b.norm()).item()


@pytest.fixture
def in_floating_point(monkeypatch):
    """Run a function as on a device without int8 products."""

    def run(function):
        with monkeypatch.context() as patched:
            patched.setattr(registry, "machine", lambda _: registry.Machine("mps"))
            return function()

    return run


@pytest.mark.parametrize("preset", EIGHT_BITS)
@pytest.mark.parametrize("width", [256, 320, 512])
def test_linear_in_int8_and_simulated_agree(in_floating_point, preset, width):
    """320 inputs are stored in 8 bits; 256 and 512 are rotated at 4 bits."""
    weight = quantize_weight(random(64, width) / width**0.5, preset)
    x, bias = functional.silu(3 * random(2, 9, width, seed=1)), random(64, seed=2)
    x[0, 0, 5], x[1, 1] = 40, 0

    def run(activations=INT8):
        return quantized_ops.linear(x, weight, bias, activations)

    in_int8, in_float = run(), in_floating_point(run)
    assert relative_error(in_float, in_int8) < ROUNDING
    assert relative_error(run(Activations(None)), in_int8) > 100 * ROUNDING


@pytest.mark.parametrize("preset", EIGHT_BITS)
@pytest.mark.parametrize("geometry", [(1, 1, 1), (2, 1, 1), (1, 2, 2)])
def test_conv2d_in_int8_and_simulated_agree(in_floating_point, preset, geometry):
    weight = quantize_weight(random(256, 256, 3, 3) / 48, preset)
    x, bias = functional.silu(3 * random(2, 256, 9, 8, seed=1)), random(256, seed=2)
    x[0, 3, 2, 2], x[1, :, 4, 4] = 40, 0

    def run(activations=INT8):
        return quantized_ops.conv2d(x, weight, bias, activations, *geometry)

    assert registry.conv(registry.machine("cpu"), (256, 256, 3, 3)).name == registry.TAPS
    in_int8, in_float = run(), in_floating_point(run)
    assert relative_error(in_float, in_int8) < ROUNDING
    assert relative_error(run(Activations(None)), in_int8) > 100 * ROUNDING


def test_a_convolution_too_small_for_taps_has_the_same_values():
    """A CPU computes it in floating point, of pixels at 8 bits."""
    weight, x = quantize_weight(random(64, 64, 3, 3) / 24, "W8A8"), random(1, 64, 6, 6, seed=1)
    assert registry.conv(registry.machine("cpu"), (64, 64, 3, 3)).name == registry.FLOAT
    taps = weight.params.scale, None, [1, 1], [1, 1], [1, 1]
    in_int8 = torch.ops.personalq.conv2d_int8(x, weight._qdata, *taps)
    out = quantized_ops.conv2d(x, weight, None, INT8, padding=1)
    assert relative_error(out, in_int8) < ROUNDING


@pytest.mark.parametrize("preset", PRESETS)
def test_every_layer_of_a_unet_gives_the_same_with_and_without_int8_products(
    in_floating_point, preset
):
    """Layer by layer, each with the input that it got here: a code next to a rounding boundary may
    fall on either side, and the layers after it spread the difference.
    """
    unet = SmallUNet().eval().requires_grad_(False)
    quantize_(unet, preset)
    calls = []
    for layer in unet.modules():
        if isinstance(layer, QuantizedLinear | QuantizedConv2d):
            layer.register_forward_hook(lambda *call: calls.append(call))
    unet(random(1, 4, 8, 8), random(1, 7, 32, seed=1))
    assert len(calls) > 10
    for layer, given, here in calls:
        there = in_floating_point(partial(layer.forward, *given))
        assert relative_error(there, here) < ROUNDING


@pytest.mark.parametrize("bits", [8, 4])
def test_one_scale_for_a_tensor_is_one_for_each_image(bits):
    x = random(2, 6, 3, 3)
    both = simulated(x, Activations(bits, per_tensor=True), rows=1)
    wild = torch.cat((x[:1], 100 * x[1:]))
    alone = simulated(wild, Activations(bits, per_tensor=True), rows=1)
    assert torch.equal(both[0], alone[0])
    levels = {8: 255, 4: 16}[bits]
    assert 2 < len(both[0].unique()) <= levels


def test_eight_bits_are_symmetric_and_half_precision_stays():
    x = torch.tensor([[-1.0, 0.0, 0.3, 0.5]], dtype=torch.float16)
    out = simulated(x, INT8)
    assert out.dtype == x.dtype
    steps = out.float() * 127
    torch.testing.assert_close(steps, torch.tensor([[-127.0, 0.0, 38.0, 64.0]]), atol=0.05, rtol=0)
