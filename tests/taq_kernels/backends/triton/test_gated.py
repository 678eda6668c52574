"""Test the kernel of the gated GELU against torch.

It runs on a GPU where there is one, else in Triton's interpreter, in a process of its own.
"""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels.backends.eager.gated import gated_gelu as reference
from personalq.tests.taq_kernels.interpreter import DEVICE, HERE, run_in_interpreter


@pytest.mark.skipif(HERE, reason="the kernels' tests run in this process")
def test_the_kernel_in_the_interpreter():
    run_in_interpreter(__file__)


def made(both: torch.Tensor) -> torch.Tensor:
    from personalq.taq_kernels.backends.triton.gated import gated_gelu

    return gated_gelu(both.to(DEVICE)).cpu()


class TestKernel:
    """Tests that launch the kernel."""

    __test__ = HERE

    @pytest.mark.parametrize("shape", [(2, 7, 64), (1, 3, 2 * 1500), (5, 2), (1, 1, 2 * 1024)])
    def test_agrees_with_float64(self, shape):
        """Less than a block, two of which one is not full, a single one, and a whole one."""
        both = 4 * torch.randn(shape, generator=torch.Generator().manual_seed(0))
        exact = reference(both.double())
        assert made(both).shape == exact.shape
        torch.testing.assert_close(made(both).double(), exact, rtol=1e-5, atol=1e-6)

    def test_is_rounded_once(self):
        """Torch rounds GELU(gate) too, so that its errors are larger."""
        wide = 3 * torch.randn(40, 2, 96, generator=torch.Generator().manual_seed(1)).half()
        both = wide.transpose(0, 1)  # of which no row lies behind another
        exact = reference(both.double())
        errors = [(one.double() - exact).abs().sum() for one in (made(both), reference(both))]
        assert made(both).dtype == torch.float16
        assert errors[0] < errors[1]

    def test_bfloat16(self):
        both = 3 * torch.randn(4, 192, generator=torch.Generator().manual_seed(1)).bfloat16()
        assert made(both).dtype == torch.bfloat16
        torch.testing.assert_close(
            made(both).double(), reference(both.double()), rtol=0.01, atol=1e-6
        )

    @pytest.mark.parametrize(
        ("both", "reason"),
        [(torch.ones(2, 3), "3 features"), (torch.ones(2, 4, dtype=torch.int8), "float32")],
    )
    def test_says_what_it_cannot_run(self, both, reason):
        with pytest.raises(ValueError, match=reason):
            made(both)
