"""Test convolutions with quantized weights.

The reference is the float convolution with the dequantized weight.
"""

from __future__ import annotations

import pytest
import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import nn
from torch.nn import functional

from personalq.taq_kernels import quantize_weight
from personalq.taq_kernels.backends import registry
from personalq.taq_kernels.backends.eager.conv import conv2d_int8
from personalq.taq_kernels.backends.registry import FLOAT, TAPS
from personalq.taq_kernels.layouts.conv import conv2d

CASES = {
    "3x3": {"kernel": (3, 3), "padding": 1},
    "3x3 strided": {"kernel": (3, 3), "stride": 2, "padding": 1},
    "1x1": {"kernel": (1, 1)},
    "no padding": {"kernel": (3, 3)},
    "dilated": {"kernel": (3, 3), "padding": 2, "dilation": 2},
    "uneven": {"kernel": (1, 3), "stride": (2, 1), "padding": (0, 1)},
}


def relative_error(a, b):
    return ((a - b).norm() / b.norm()).item()


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_int8_products_agree_with_the_dequantized_weight(case, preset):
    options = dict(CASES[case])
    weight = quantize_weight(random(256, 256, *options.pop("kernel")) / 48, preset)
    x, bias = functional.silu(random(2, 256, 9, 8, seed=1)), random(256, seed=2)
    assert registry.conv(registry.machine("cpu"), tuple(weight.shape)).name == TAPS
    expected = functional.conv2d(x, weight.dequantize(), bias, **options)
    out = conv2d(x, weight, bias, **options)
    assert out.shape == expected.shape
    # Only the activations are rounded: 127 levels for each pixel.
    assert 0 < relative_error(out, expected) < 0.015


def test_integer_activations_are_exact():
    """Pixels whose largest value is 127 have scale 1, so nothing is rounded."""
    generator = torch.Generator().manual_seed(0)
    q = torch.randint(-127, 128, (256, 256, 3, 3), dtype=torch.int8, generator=generator)
    x = torch.randint(-127, 128, (1, 256, 5, 5), generator=generator).float()
    x[:, 0] = 127
    scale = torch.linspace(0.5, 2, 256)
    expected = functional.conv2d(x.double(), q.double() * scale.view(-1, 1, 1, 1), padding=1)
    torch.testing.assert_close(
        conv2d_int8(x, q, scale, padding=1).double(), expected, rtol=1e-5, atol=1e-2
    )


def test_an_outlier_costs_other_pixels_and_images_nothing():
    weight = quantize_weight(random(256, 256, 1, 1), "W8A8")
    x = random(2, 256, 4, 4, seed=1)
    wild = x.clone()
    wild[0, 3, 2, 2] = 1e4
    before, after = conv2d(x, weight), conv2d(wild, weight)
    same = torch.ones(2, 4, 4, dtype=torch.bool)
    same[0, 2, 2] = False
    assert torch.equal(before.movedim(1, -1)[same], after.movedim(1, -1)[same])


def test_a_zero_image_gives_the_bias():
    bias = random(256)
    out = conv2d(
        torch.zeros(1, 256, 3, 3), quantize_weight(random(256, 256, 3, 3), "W8A8"), bias, padding=1
    )
    assert torch.equal(out, bias.view(1, -1, 1, 1).expand(1, 256, 3, 3))


@pytest.mark.parametrize(
    ("shape", "groups", "device", "backend"),
    [
        ((320, 320, 3, 3), 1, "cpu", TAPS),
        ((64, 64, 3, 3), 1, "cpu", FLOAT),
        ((320, 320, 3, 3), 2, "cpu", FLOAT),
        ((321, 320, 3, 3), 1, "cpu", FLOAT),
        ((320, 320, 3, 3), 1, "mps", FLOAT),
    ],
)
def test_the_rule_for_backends(shape, groups, device, backend):
    assert registry.conv(registry.machine(device), shape, groups).name == backend


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_the_float_backend_is_the_dequantized_convolution(preset):
    """Of pixels that already have values of 8 bits, which it would round others to."""
    weight = quantize_weight(random(64, 32, 3, 3), preset)
    x = torch.randint(-127, 128, (1, 64, 6, 6), generator=torch.Generator().manual_seed(1)) / 127
    x[:, 0] = 1
    expected = functional.conv2d(x, weight.dequantize(), padding=1, groups=2)
    torch.testing.assert_close(conv2d(x, weight, padding=1, groups=2), expected)


def modes():
    return {"inference": torch.inference_mode, "no_grad": torch.no_grad, "grad": torch.enable_grad}


@pytest.mark.parametrize("mode", modes())
@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_a_module_with_a_quantized_weight_runs_in_int8(mode, preset):
    layer = nn.Conv2d(256, 256, 3, padding=1)
    weight = quantize_weight(layer.weight, preset)
    layer.weight = nn.Parameter(weight, requires_grad=False)
    x = random(1, 256, 6, 6)
    with modes()[mode]():
        out = layer(x)
    assert not isinstance(out, QuantizedTensor)
    assert torch.equal(out, conv2d(x, weight, layer.bias, padding=1))


def test_half_precision_in_and_out():
    weight = quantize_weight((random(256, 256, 3, 3) / 48).half(), "W8A8")
    x = random(1, 256, 6, 6, seed=1)
    out = conv2d(x.half(), weight, torch.zeros(256, dtype=torch.float16), padding=1)
    assert out.dtype == torch.float16
    assert (
        relative_error(out.float(), functional.conv2d(x, weight.dequantize().float(), padding=1))
        < 0.015
    )


def test_channels_that_differ_are_refused():
    weight = torch.zeros(8, 8, 1, 1, dtype=torch.int8)
    with pytest.raises(ValueError, match="same channels"):
        conv2d_int8(torch.zeros(1, 16, 4, 4), weight, torch.ones(8))
    with pytest.raises(ValueError, match="groups must be 1"):
        conv2d_int8(torch.zeros(1, 8, 4, 4), weight, torch.ones(8), groups=2)
