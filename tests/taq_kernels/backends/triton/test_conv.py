"""Test the convolution kernels against tap-by-tap convolution in torch, and against float64.

They run on a GPU where there is one, else in Triton's interpreter. That must be chosen before
Triton is imported, so the kernels' tests then run in a process of their own.
"""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from personalq.taq_kernels import quantize_weight
from personalq.taq_kernels.backends.eager.conv import conv2d_int8
from personalq.taq_kernels.backends.operators import int4_taps
from personalq.taq_kernels.layouts.conv_int4 import Int4ConvLayout
from personalq.taq_kernels.layouts.conv_int8 import Int8ConvLayout
from personalq.tests.taq_kernels.interpreter import DEVICE, HERE, run_in_interpreter

CASES = {
    "3x3": {"padding": (1, 1)},
    "3x3 strided": {"stride": (2, 2), "padding": (1, 1)},
    "1x1": {"kernel": (1, 1)},
    "no padding": {},
    "dilated": {"padding": (2, 2), "dilation": (2, 2)},
    "uneven": {"kernel": (1, 3), "stride": (2, 1), "padding": (0, 1)},
    "more padding than kernel": {"kernel": (1, 1), "padding": (2, 1)},
}


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def relative_error(out, expected):
    return ((out.double() - expected.double()).norm() / expected.double().norm()).item()


@pytest.mark.skipif(HERE, reason="the kernels' tests run in this process")
def test_the_kernels_in_the_interpreter():
    run_in_interpreter(__file__)


@pytest.mark.skipif(HERE, reason="the kernels run in this process")
def test_without_a_gpu_the_kernels_say_why_they_do_not_run():
    triton_conv = pytest.importorskip(
        "personalq.taq_kernels.backends.triton.conv",
        reason="Triton is not installed",
        exc_type=ImportError,
    )
    from personalq.taq_kernels.backends.triton import pixels as triton_pixels

    with pytest.raises(ValueError, match="TRITON_INTERPRET"):
        triton_pixels.quantize_pixels(random(1, 2, 2, 8))
    with pytest.raises(ValueError, match="TRITON_INTERPRET"):
        triton_conv.conv2d_taps(
            torch.ones(1, 2, 2, 8, dtype=torch.int8),
            torch.ones(1, 2, 2),
            torch.ones(1, 1, 4, 8, dtype=torch.int8),
            torch.ones(4),
        )


def test_the_tile_that_keeps_the_gpu_busy_is_chosen():
    """In SDXL at 1024 px, on an H200 with 132 multiprocessors: what was the fastest there."""
    triton_conv = pytest.importorskip(
        "personalq.taq_kernels.backends.triton.conv",
        reason="Triton is not installed",
        exc_type=ImportError,
    )
    large, middle, small = triton_conv.TILES
    assert triton_conv.choose_tile(2 * 128 * 128, 320, 132) == large
    assert triton_conv.choose_tile(2 * 32 * 32, 1280, 132) == middle, "320 programs take 3 rounds"
    assert triton_conv.choose_tile(2 * 64 * 64, 640, 132) == large
    assert triton_conv.choose_tile(2 * 8 * 8, 1280, 132) == small
    assert triton_conv.choose_tile(1, 8, 132) == small


class TestKernel:
    """Tests that launch the kernels."""

    __test__ = HERE

    def convolve(self, x, taps, scale, bias=None, group_scale=None, dtype=torch.float32, **options):
        """[B, O, H', W'] of the kernels, from memory that held NaN."""
        from personalq.taq_kernels.backends.triton.conv import conv2d_taps
        from personalq.taq_kernels.backends.triton.pixels import quantize_pixels
        from personalq.taq_kernels.backends.triton.taps import decode_taps

        pixels, pixel_scale = quantize_pixels(x.permute(0, 2, 3, 1).to(DEVICE))
        tensors = (None if t is None else t.to(DEVICE) for t in (taps, scale, bias, group_scale))
        taps, scale, bias, group_scale = tensors
        taps = taps if group_scale is None else decode_taps(taps, group_scale)
        torch.full((2, 9, 9, 48), torch.nan, device=DEVICE)
        out = conv2d_taps(pixels, pixel_scale, taps, scale, bias, dtype=dtype, **options)
        assert out.dtype == dtype
        return out.permute(0, 3, 1, 2).cpu()

    @pytest.mark.parametrize("channels", [40, 96])
    @pytest.mark.parametrize("case", CASES)
    def test_int8_agrees_with_the_taps_in_torch(self, case, channels):
        options = dict(CASES[case])
        taps, params = Int8ConvLayout.quantize(random(24, channels, *options.pop("kernel", (3, 3))))
        x, bias = functional.silu(random(2, channels, 9, 7, seed=1)), random(24, seed=2)
        expected = conv2d_int8(x, taps.permute(2, 3, 0, 1), params.scale, bias, **options)
        out = self.convolve(x, taps, params.scale, bias, **options)
        assert out.shape == expected.shape
        assert relative_error(out, expected) < 1e-6

    @pytest.mark.parametrize("place", range(3))
    def test_every_tile_over_several_tiles_and_odd_sizes(self, monkeypatch, place):
        """Part of a larger tensor, not channels-last, and more pixel tiles than a band has."""
        from personalq.taq_kernels.backends.triton import conv as triton_conv

        tile = triton_conv.TILES[place]
        monkeypatch.setattr(triton_conv, "choose_tile", lambda *_: tile)
        taps, params = Int8ConvLayout.quantize(random(72, 64, 3, 3) / 24)
        side = 13 if tile.m > 32 else 19
        x = random(1, 72, side, side + 6, seed=1)[:, 4:68, :, 2 : side + 1]
        expected = conv2d_int8(x, taps.permute(2, 3, 0, 1), params.scale, None, padding=1)
        out = self.convolve(x, taps, params.scale, padding=(1, 1))
        assert relative_error(out, expected) < 1e-6

    @pytest.mark.parametrize("shape", [(3, 3, 24, 64), (1, 1, 40, 320), (1, 3, 7, 96)])
    def test_4_bit_taps_are_decoded_as_in_torch(self, shape):
        """All codes with all group scales. Of 96 channels, a half ends within a group."""
        from personalq.taq_kernels.backends.triton.taps import decode_taps

        generator = torch.Generator().manual_seed(0)
        *rows, channels = shape
        codes = torch.randint(256, (*rows, channels // 2), dtype=torch.uint8, generator=generator)
        steps = torch.randint(-15, 16, (*rows, channels // 32), generator=generator)
        steps = steps.to(torch.int8)
        decoded = decode_taps(codes.to(DEVICE), steps.to(DEVICE)).cpu()
        assert torch.equal(decoded, int4_taps(codes, steps))
        assert decoded.unique().numel() > 100

    @pytest.mark.parametrize("channels", [64, 96])
    @pytest.mark.parametrize("case", ["3x3 strided", "1x1", "uneven"])
    def test_int4_agrees_with_its_decoded_taps(self, case, channels):
        options = dict(CASES[case])
        codes, params = Int4ConvLayout.quantize(
            random(24, channels, *options.pop("kernel", (3, 3)))
        )
        assert params.group_scale.unique().numel() > 2
        x = functional.silu(random(2, channels, 9, 7, seed=1))
        taps = Int4ConvLayout.int8_taps(codes, params).permute(2, 3, 0, 1)
        expected = conv2d_int8(x, taps, params.scale, None, **options)
        out = self.convolve(x, codes, params.scale, group_scale=params.group_scale, **options)
        assert relative_error(out, expected) < 1e-6

    @pytest.mark.parametrize(("tokens", "inputs", "outputs"), [(150, 320, 72), (1, 64, 8)])
    def test_tokens_of_a_linear_agree_with_comfy_kitchen(self, tokens, inputs, outputs):
        weight, bias = random(outputs, inputs) / inputs**0.5, random(outputs, seed=2)
        stored, x = quantize_weight(weight, "W8A8"), random(tokens, inputs, seed=1)
        expected = functional.linear(x, stored, bias)
        taps, scale = stored._qdata[None, None], stored.params.scale.flatten()
        out = self.convolve(x.T[None, :, :, None], taps, scale, bias)
        assert relative_error(out[0, :, :, 0].T, expected) < 1e-6

    def test_integers_are_exact(self):
        """Pixels whose largest value is 127 have scale 1: nothing is rounded, and the sums stay
        below 2^24.
        """
        generator = torch.Generator().manual_seed(0)
        taps = torch.randint(-127, 128, (3, 3, 16, 64), dtype=torch.int8, generator=generator)
        x = torch.randint(-127, 128, (1, 64, 5, 5), generator=generator).float()
        x[:, 0] = 127
        expected = functional.conv2d(x.double(), taps.permute(2, 3, 0, 1).double(), padding=1)
        out = self.convolve(x, taps, torch.ones(16), padding=(1, 1))
        assert torch.equal(out.double(), expected)

    def test_agrees_with_float64_up_to_the_rounding_of_pixels(self):
        weight = random(32, 64, 3, 3) / 24
        taps, params = Int8ConvLayout.quantize(weight)
        x = random(2, 64, 8, 8, seed=1)
        weight = Int8ConvLayout.dequantize(taps, params).double()
        expected = functional.conv2d(x.double(), weight, padding=1)
        assert (
            0
            < relative_error(self.convolve(x, taps, params.scale, padding=(1, 1)), expected)
            < 0.01
        )

    def test_an_outlier_costs_other_pixels_nothing(self):
        taps, params = Int8ConvLayout.quantize(random(16, 64, 1, 1))
        x = random(1, 64, 4, 4, seed=1)
        out = self.convolve(x, taps, params.scale)
        x[0, 3, 2, 1] = 1e4
        spoilt = self.convolve(x, taps, params.scale)
        same = torch.ones(4, 4, dtype=torch.bool)
        same[2, 1] = False
        assert torch.equal(out[..., same], spoilt[..., same])
        assert not torch.equal(out, spoilt)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
    def test_16_bit_results(self, dtype):
        taps, params = Int8ConvLayout.quantize(random(24, 64, 3, 3) / 24)
        x, bias = random(1, 64, 6, 6, seed=1).to(dtype), random(24, seed=2).to(dtype)
        expected = conv2d_int8(
            x.float(), taps.permute(2, 3, 0, 1), params.scale, bias.float(), padding=1
        )
        out = self.convolve(x, taps, params.scale, bias, dtype=dtype, padding=(1, 1))
        assert relative_error(out, expected) < {torch.float16: 5e-4, torch.bfloat16: 4e-3}[dtype]

    def test_pixels_are_quantized_as_in_torch(self):
        from personalq.taq_kernels.backends.triton.pixels import quantize_pixels

        x = random(2, 5, 3, 320)
        x[0, 0, 0] = 0
        x[0, 1] *= 1e-30
        codes, scale = (tensor.cpu() for tensor in quantize_pixels(x.to(DEVICE)))
        largest = x.abs().amax(-1)
        torch.testing.assert_close(
            scale[largest > 0], (largest / 127)[largest > 0], rtol=1e-6, atol=0
        )
        assert torch.equal(codes, (x / scale[..., None]).round().to(torch.int8))
        assert codes[0, 0, 0].eq(0).all()
        assert codes.abs().amax(-1)[largest > 0].eq(127).all()

    def test_every_reason_is_given(self):
        from personalq.taq_kernels.backends.triton.conv import conv2d_taps
        from personalq.taq_kernels.backends.triton.pixels import quantize_pixels
        from personalq.taq_kernels.backends.triton.taps import decode_taps

        codes, params = Int4ConvLayout.quantize(random(16, 96, 3, 3))
        codes, steps = codes.to(DEVICE), params.group_scale.to(DEVICE)
        pixels, scale = torch.ones(1, 2, 2, 96, device=DEVICE), torch.ones(1, 2, 2, device=DEVICE)
        with pytest.raises(
            ValueError, match=r"float64.*must end in 96.*must be int8.*smaller than the kernel"
        ):
            conv2d_taps(pixels, scale, codes, params.scale.to(DEVICE), dtype=torch.float64)
        with pytest.raises(ValueError, match="float64"):
            quantize_pixels(pixels.double())
        with pytest.raises(ValueError, match=r"got torch.int8.*do not belong together"):
            decode_taps(steps, steps[:1])
