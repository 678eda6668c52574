"""Test the checks of the Triton kernels in half precision, as on a GPU.

They run in the interpreter, in a separate process.
"""

from __future__ import annotations

import pytest
import torch

from personalq.doctor import attention_checks, gelu_check, operations, shapes
from personalq.doctor.operations import On
from personalq.doctor.rows import FAILED, OK, Check, measured
from personalq.taq_kernels.backends import operators, registry
from personalq.taq_kernels.backends.registry import Machine
from personalq.tests.taq_kernels.interpreter import DEVICE, HERE, run_in_interpreter

ON = On(torch.device(DEVICE), torch.float16)
NO_KITCHEN = Machine("cuda", (8, 6), (3, 6), "eager")
CONV = shapes.ConvShape("odd", 1, 64, 24, 5, 3, 3, 2)
ATTENTION = shapes.AttentionShape("odd", 1, 19, 2, 40, 20)


@pytest.mark.skipif(HERE, reason="the kernels' tests run in this process")
def test_the_kernels_in_the_interpreter():
    run_in_interpreter(__file__)


def row(run, *arguments):
    return measured(Check("check", "shape", lambda: run(*arguments, ON)))


class TestKernel:
    """Tests that launch the kernels."""

    __test__ = HERE

    @pytest.fixture(autouse=True)
    def on_a_gpu(self, monkeypatch):
        """The registry answers for a GPU, and CPU tensors go to the kernels as that GPU's do.

        On a real GPU it answers for the same one, whose comfy-kitchen has no kernels.
        """
        monkeypatch.setattr(registry, "machine", lambda device: NO_KITCHEN)
        if DEVICE == "cuda":
            return
        from personalq.taq_kernels.backends.triton import attention as triton_attention
        from personalq.taq_kernels.backends.triton import gated as triton_gated
        from personalq.taq_kernels.backends.triton import taps as triton_taps

        monkeypatch.setattr(operators, "conv2d_int8", operators._triton_conv)
        monkeypatch.setattr(operators, "normed_conv2d_int8", operators._triton_normed_conv)
        monkeypatch.setattr(operators, "decoded_taps", triton_taps.decode_taps)
        monkeypatch.setattr(operators, "mixed_attention", triton_attention.mixed_attention)
        monkeypatch.setattr(operators, "gated_gelu", triton_gated.gated_gelu)
        monkeypatch.setattr(operations, "times", lambda *_: {})
        monkeypatch.setattr(gelu_check, "times", lambda *_: {})
        monkeypatch.setattr(attention_checks, "times", lambda *_: {})

    @pytest.mark.parametrize("bits", [8, 4])
    def test_conv(self, bits):
        found = row(operations.conv, CONV, bits)
        assert (found.result, found.reason, found.backend) == (OK, "", registry.TRITON_CONV)

    def test_a_conv_with_its_norm(self):
        found = row(operations.normed_conv, CONV)
        assert (found.result, found.reason, found.backend) == (OK, "", registry.TRITON_NORM)
        assert 0 < found.error < found.bound

    def test_pixel_codes_are_exact(self):
        found = row(operations.pixel_codes, (1, 40, 3, 2))
        assert (found.result, found.error, found.backend) == (OK, 0, registry.TRITON_CONV)

    @pytest.mark.parametrize("name", ["8-bit rows", "4-bit rows"])
    def test_attention(self, name):
        found = row(attention_checks.attention, ATTENTION, attention_checks.SPECS[name])
        assert (found.result, found.reason, found.backend) == (OK, "", registry.TRITON_ATTENTION)

    def test_gated_gelu(self):
        found = row(gelu_check.gated_gelu, (3, 1100))
        assert (found.result, found.reason, found.backend) == (OK, "", registry.TRITON_GELU)
        assert 0 < found.error < found.bound

    def test_a_wrong_pixel_is_found(self, monkeypatch):
        convolve = operators.conv2d_int8

        def spoilt(*arguments):
            out = convolve(*arguments)
            out[0, :, -1, -1] *= 1.01
            return out

        monkeypatch.setattr(operators, "conv2d_int8", spoilt)
        assert row(operations.conv, CONV, 8).result == FAILED

    def test_linear_as_a_convolution(self):
        """As on a GPU whose comfy-kitchen has no kernels."""
        found = row(operations.linear, shapes.LinearShape("odd", 7, 256, 24), 8)
        assert (found.result, found.reason, found.backend) == (OK, "", registry.TRITON_CONV)

    def test_linear_in_floating_point(self):
        """As on the same GPU, because its weight is rotated."""
        found = row(operations.linear, shapes.LinearShape("odd", 7, 256, 24), 4)
        assert (found.result, found.reason, found.backend) == (OK, "", registry.FLOAT)
