"""Test the kernels of GroupNorm, SiLU and the quantization of pixels against torch.

They run on a GPU where there is one, else in Triton's interpreter, in a process of their own.
"""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from personalq.taq_kernels.backends import operators
from personalq.taq_kernels.layouts.conv_int8 import Int8ConvLayout
from personalq.tests.taq_kernels.interpreter import DEVICE, HERE, run_in_interpreter


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.skipif(HERE, reason="the kernels' tests run in this process")
def test_the_kernels_in_the_interpreter():
    run_in_interpreter(__file__)


def test_no_kernel_takes_more_elements_than_32_bits_count():
    triton_pixels = pytest.importorskip(
        "personalq.taq_kernels.backends.triton.pixels",
        reason="Triton is not installed",
        exc_type=ImportError,
    )
    large = torch.empty(2, 1024, 1100, 960, device="meta")
    assert "elements" in triton_pixels.unmet_requirements(large)[-1]


class TestKernel:
    """Tests that launch the kernels."""

    __test__ = HERE

    def quantized(self, x, weight, bias, groups, eps=1e-5):
        """The values [B, H, W, C] that the kernels round x [B, H, W, C] to, and their scales."""
        from personalq.taq_kernels.backends.triton.norm import quantize_normed

        parts = (part.to(DEVICE) for part in (x, weight, bias))
        codes, scale = (made.cpu() for made in quantize_normed(*parts, groups, eps))
        assert codes.dtype == torch.int8
        assert codes.shape == x.shape
        return codes * scale[..., None], scale

    def exact(self, x, weight, bias, groups, eps=1e-5):
        """SiLU(GroupNorm(x)) in float64."""
        parts = x.permute(0, 3, 1, 2).double(), groups, weight.double(), bias.double(), eps
        return functional.silu(functional.group_norm(*parts)).permute(0, 2, 3, 1)

    @pytest.mark.parametrize(
        ("shape", "groups"),
        [((2, 9, 7, 64), 32), ((1, 5, 13, 96), 8), ((1, 70, 62, 40), 8), ((1, 1, 1, 320), 32)],
    )
    def test_agrees_with_float64_to_half_a_step(self, shape, groups):
        """Less than a part of an image, not a whole number of parts, and parts of several steps."""
        x, weight, bias = random(*shape) * 3 + 1, random(shape[-1], seed=1), random(shape[-1])
        expected = self.exact(x, weight, bias, groups)
        values, scale = self.quantized(x, weight, bias, groups)
        largest = expected.abs().amax(-1)
        torch.testing.assert_close(scale.double(), largest / 127, rtol=1e-4, atol=1e-6)
        assert ((values - expected).abs() <= 0.501 * scale[..., None] + 1e-6).all()

    def test_each_image_is_normed_by_itself(self):
        x, weight, bias = random(2, 6, 5, 64), random(64, seed=1), random(64, seed=2)
        alone, _ = self.quantized(x[:1], weight, bias, 32)
        x[1] *= 50
        both, _ = self.quantized(x, weight, bias, 32)
        assert torch.equal(both[:1], alone)

    def test_a_mean_far_from_zero_costs_no_precision(self):
        """With sums of squares the variance of these pixels would be lost in float32."""
        x, one = random(1, 40, 20, 32) + 3000, torch.ones(32)
        expected = self.exact(x, one, 0 * one, 4)
        values, scale = self.quantized(x, one, 0 * one, 4)
        assert ((values - expected).abs() <= scale[..., None]).all()

    def test_equal_pixels_are_finite(self):
        x, one = torch.full((1, 3, 3, 32), 7.0), torch.ones(32)
        values, _ = self.quantized(x, one, 0 * one, 4)
        assert values.eq(0).all()

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
    def test_half_precision(self, dtype):
        """Part of a larger tensor, whose pixels do not lie behind one another."""
        whole = random(1, 8, 9, 64).to(dtype)
        x, weight, bias = whole[:, 1:7, 2:], random(64, seed=1).to(dtype), random(64).to(dtype)
        expected = self.exact(x, weight, bias, 32)
        values, scale = self.quantized(x, weight, bias, 32)
        assert ((values - expected).abs() <= 0.501 * scale[..., None] + 1e-6).all()

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
    def test_the_convolution_after_it(self, dtype):
        taps, params = Int8ConvLayout.quantize(random(24, 64, 3, 3) / 24)
        x, norm = random(2, 64, 6, 5).to(dtype), (random(64, seed=1), random(64, seed=2), 32, 1e-5)
        rest = taps, params.scale, random(24, seed=3).to(dtype), [1, 1], [1, 1], [1, 1]
        expected = operators.normed_conv2d_int8(x, *norm, *rest)

        def moved(parts):
            return (part.to(DEVICE) if isinstance(part, torch.Tensor) else part for part in parts)

        out = operators._triton_normed_conv(x.to(DEVICE), *moved(norm), *moved(rest)).cpu()
        assert (out.dtype, out.shape) == (dtype, expected.shape)
        assert ((out - expected).float().norm() / expected.float().norm()).item() < 2e-3

    def test_every_reason_is_given(self):
        from personalq.taq_kernels.backends.triton.norm import quantize_normed

        x, one = torch.ones(1, 2, 2, 30, dtype=torch.float64, device=DEVICE), torch.ones(30)
        with pytest.raises(ValueError, match=r"float64.*30 channels in 4 groups"):
            quantize_normed(x, one, one, 4, 1e-5)
