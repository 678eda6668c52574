"""Test the quantizers against values computed by hand."""

from __future__ import annotations

import math

import pytest
import torch

from personalq.taq_kernels.quantizers import attention_quantize_dequantize, logarithmic, uniform
from personalq.taq_kernels.quantizers.uniform import uniform_quantize_dequantize

log_quantize_dequantize = logarithmic.QUANTIZER.quantize_dequantize


def test_two_bits_by_hand():
    codes = uniform.QUANTIZER.quantize(
        torch.tensor([[-1.0, 0.0, 0.6, 2.0], [0.0, 1.0, 2.0, 6.0]]), 2
    )
    assert codes.scale.flatten().tolist() == [1.0, 2.0]
    assert codes.zero.flatten().tolist() == [1, 0]
    assert codes.q.tolist() == [[0, 1, 2, 3], [0, 0, 1, 3]]  # round(1/2) = 0: half to even


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_error_is_at_most_half_a_step(bits):
    x = torch.randn(50, 40, generator=torch.Generator().manual_seed(0))
    step = (x.amax(-1) - x.amin(-1)) / (2**bits - 1)
    error = (uniform_quantize_dequantize(x, bits) - x).abs().amax(-1)
    # The zero point is rounded too, so the ends of the range may be off by up to one step.
    assert (error <= step * 1.001).all()
    assert error.mean() < 0.8 * step.mean()


@pytest.mark.parametrize("value", [0.0, 3.0, -7.5])
def test_constant_rows_are_exact(value):
    row = torch.full((1, 8), value)
    assert torch.equal(uniform_quantize_dequantize(row, 4), row)


def test_rows_do_not_see_each_other():
    x = torch.tensor([[1.0, -1.0, 0.5], [1000.0, -1000.0, 3.0]])
    assert torch.equal(uniform_quantize_dequantize(x, 8)[:1], uniform_quantize_dequantize(x[:1], 8))


def test_half_precision_is_computed_in_float32():
    x = torch.randn(4, 64, generator=torch.Generator().manual_seed(1)).half()
    assert torch.equal(
        uniform_quantize_dequantize(x, 8), uniform_quantize_dequantize(x.float(), 8).half()
    )
    tiny = torch.tensor([[6e-8, 0.0, 1.2e-7]], dtype=torch.float16)
    assert torch.isfinite(log_quantize_dequantize(tiny, 8)).all()


def test_logarithmic_by_hand():
    # eps = 1, largest = e^2 - 1: ln(|x| + eps) runs from 0 to 2, so s = 2/3, z = 0 at 2 bits.
    x = torch.tensor([[0.0, math.exp(1.2) - 1, math.e**2 - 1]])
    expected = [
        0.0,
        math.exp(4 / 3) - 1,
        math.e**2 - 1,
    ]  # 1.2 = 1.8 s, which rounds to 2 s
    log = logarithmic.QUANTIZER
    assert log.dequantize(log.quantize(x, 2, eps=1.0))[0].tolist() == pytest.approx(
        expected, rel=1e-5
    )


def test_logarithmic_keeps_signs_and_zero():
    x = torch.tensor([[-2.0, -0.1, 0.0, 0.1, 2.0]])
    out = log_quantize_dequantize(x, 8)
    assert out[0, 2] == 0
    assert torch.equal(out.sign(), x.sign())
    assert torch.allclose(out, -out.flip(-1))


def test_logarithmic_all_zero_row():
    assert log_quantize_dequantize(torch.zeros(2, 5), 4).abs().max() == 0


@pytest.mark.parametrize("largest", [1e-45, 1e-44, 1e-40, 1e-30])
def test_logarithmic_of_probabilities_that_underflow(largest):
    """As of tokens that nothing looks at, where others are protected."""
    x = torch.tensor([[0.0, largest, largest / 3]])
    out = attention_quantize_dequantize(x, 8, "log")
    torch.testing.assert_close(out, x, atol=1e-30, rtol=0)


def test_logarithmic_is_better_on_skewed_attention_weights():
    """The reason for its eps: one large weight and many small ones, at 4 bits."""
    weights = torch.softmax(
        1.5 * torch.randn(256, 77, generator=torch.Generator().manual_seed(0)), -1
    )
    errors = {
        kind: (attention_quantize_dequantize(weights, 4, kind) - weights).norm()
        for kind in ("uniform", "log")
    }
    assert errors["log"] < errors["uniform"]


def test_attention_weights_keep_zero_and_the_row_maximum():
    weights = torch.tensor([[0.0, 0.1, 0.5, 0.4]])
    out = attention_quantize_dequantize(weights, 8, "uniform")
    assert out[0, 0] == 0
    assert out[0, 2] == pytest.approx(0.5)
