"""Test each quantizer's grid against values computed by hand."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from personalq.bench.baselines.activations import Dynamic, MinMax, PerStep, Split, quantize_in_range
from personalq.bench.baselines.dgq import PowersOfTwo


def close(found, expected):
    torch.testing.assert_close(found, torch.tensor(expected), atol=1e-6, rtol=1e-6)


def test_a_given_range():
    """Range -1..2 in 2 bits: the codes are -1, 0, 1, 2."""
    x = torch.tensor([-3.0, -0.6, 0.4, 0.0, 1.4, 9.0])
    close(
        quantize_in_range(x, torch.tensor(-1.0), torch.tensor(2.0), 2),
        [-1.0, -1.0, 0.0, 0.0, 1.0, 2.0],
    )


def test_a_range_is_widened_to_contain_zero():
    close(
        quantize_in_range(torch.tensor([0.0, 2.0]), torch.tensor(1.0), torch.tensor(3.0), 2),
        [0.0, 2.0],
    )


def test_an_empty_range_gives_no_nan():
    zero = torch.tensor(0.0)
    close(quantize_in_range(torch.tensor([0.0]), zero, zero, 8), [0.0])


def test_the_running_minimum_and_maximum():
    """Of 0..1, 0..5 and 0..3 the mean is 0..3, so 4 codes are 0 to 3."""
    quantizer = MinMax(2)
    for high in (1.0, 5.0, 3.0):
        quantizer.see(torch.tensor([[0.0, high]]), 0)
    close(quantizer(torch.tensor([[-9.0, 1.4, 9.0]]), 0), [[0.0, 1.0, 3.0]])


def test_the_published_momentum_after_many_batches():
    """After 40 times 0..3, one 0..63 moves the range to 0.95 * 3 + 0.05 * 63 = 6."""
    quantizer = MinMax(2)
    for high in (*[3.0] * 40, 63.0):
        quantizer.see(torch.tensor([[0.0, high]]), 0)
    close(quantizer(torch.tensor([[2.2, 99.0]]), 0), [[2.0, 6.0]])


def test_rows_find_their_own_scale_and_tensors_one():
    x = torch.tensor([[[0.0, 3.0, 1.0], [0.0, 300.0, 100.0]]])
    close(Dynamic(4)(x, 0), [[[0.0, 3.0, 1.0], [0.0, 300.0, 100.0]]])
    close(Dynamic(4, per_tensor=True)(x, 0), [[[0.0, 0.0, 0.0], [0.0, 300.0, 100.0]]])


def test_each_step_has_its_own_range():
    quantizer = PerStep(partial(MinMax, 2))
    quantizer.see(torch.tensor([0.0, 3.0]), 0)
    quantizer.see(torch.tensor([0.0, 30.0]), 1)
    x = torch.tensor([1.0, 20.0])
    close(quantizer(x, 0), [1.0, 3.0])
    close(quantizer(x, 1), [0.0, 20.0])
    with pytest.raises(ValueError, match=r"no sampling step 2 .*\[0, 1\]"):
        quantizer(x, 2)


def test_the_halves_of_a_split_have_their_own_range():
    quantizer = Split(1, MinMax(2), MinMax(2))
    quantizer.see(torch.tensor([[[3.0, 30.0, 0.0]], [[0.0, 0.0, 0.0]]]), 0)
    close(quantizer(torch.tensor([[2.0, 11.0, 99.0]]), 0), [[2.0, 10.0, 30.0]])


def test_powers_of_two_of_the_greatest():
    """2 bits: 8, 4, 2 and 1; what is smaller becomes 1."""
    close(
        PowersOfTwo(2)(torch.tensor([[8.0, 3.9, 2.2], [1.0, 0.3, 0.0]]), 0),
        [[8.0, 4.0, 2.0], [1.0, 1.0, 1.0]],
    )
