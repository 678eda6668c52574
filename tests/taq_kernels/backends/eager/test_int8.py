"""Test int8 rounding and products."""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels.backends.eager.int8 import int8_matmul, round_to_int


@pytest.mark.parametrize("seed", [None, 0])
def test_nearest_and_clipped(seed):
    assert round_to_int(torch.tensor([-300.0, -1.4, 1.6, 300.0]), -127, 127, seed).tolist() == [
        -127,
        -1,
        2,
        127,
    ]


def test_stochastic_rounding_keeps_the_mean_and_repeats_with_its_seed():
    x = torch.full((20000,), 0.1)
    rounded = round_to_int(x, -127, 127, seed=7)
    assert set(rounded.tolist()) == {0.0, 1.0}
    assert rounded.mean() == pytest.approx(0.1, abs=0.01)
    assert torch.equal(rounded, round_to_int(x, -127, 127, seed=7))


@pytest.mark.parametrize("rows", [1, 16, 40])
def test_products_are_exact(rows):
    generator = torch.Generator().manual_seed(0)
    a = torch.randint(-127, 128, (rows, 64), dtype=torch.int8, generator=generator)
    b = torch.randint(-127, 128, (24, 64), dtype=torch.int8, generator=generator)
    assert torch.equal(int8_matmul(a, b), a.int() @ b.int().T)
