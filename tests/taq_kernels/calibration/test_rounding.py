"""The relaxed rounding of a weight, in every storage format."""

from __future__ import annotations

from math import log
from types import SimpleNamespace

import pytest
import torch

from personalq.taq_kernels import quantize_weight
from personalq.taq_kernels.calibration import Rounding
from personalq.taq_kernels.calibration.rounding import stretched_sigmoid, undecided
from personalq.taq_kernels.layouts.formats import grid
from personalq.taq_kernels.layouts.linear_int4 import regular_hadamard

CASES = [
    (preset, shape)
    for preset in ("W8A8", "W4A8")
    for shape in ((24, 48), (24, 256), (24, 100), (24, 64, 3, 3), (24, 20, 1, 1))
]


@pytest.fixture
def weight(shape):
    return 0.05 * torch.randn(shape, generator=torch.Generator().manual_seed(0))


def test_h_by_hand():
    alpha = torch.tensor(
        [-9.0, -log(11), 0.0, log(3), log(11), 9.0]
    )  # sigmoid 0, 1/12, 1/2, 3/4, 11/12, 1
    torch.testing.assert_close(stretched_sigmoid(alpha), torch.tensor([0, 0, 0.5, 0.8, 1, 1]))


def test_regulariser_by_hand():
    h = torch.tensor([0, 1, 0.5, 0.75])
    assert undecided(h, 2).item() == 1 + (1 - 0.25)
    assert undecided(h, 20).item() == pytest.approx(1 + (1 - 0.5**20))


def test_rotation_is_its_own_inverse():
    matrix = regular_hadamard(64)
    torch.testing.assert_close(matrix @ matrix, torch.eye(64))
    assert torch.equal(matrix, matrix.T)
    torch.testing.assert_close(
        matrix.sum(1), torch.ones(64)
    )  # "regular": no row is a mean of its group


@pytest.mark.parametrize(("preset", "shape"), CASES)
def test_low_and_high_are_neighbours_around_the_weight(weight, preset, shape):
    rounding = Rounding(weight, preset)
    stored = quantize_weight(weight, preset)
    values = grid(stored)
    original = values.stored_basis(weight)
    codes = torch.zeros(original.shape, dtype=torch.int32)
    every = torch.stack(
        [values.decode(codes + code) for code in range(values.lowest, values.highest + 1)]
    )
    low, high = (
        torch.minimum(rounding.low, rounding.high),
        torch.maximum(rounding.low, rounding.high),
    )
    assert not ((every > low) & (every < high)).any()
    inside = low < high
    assert inside.float().mean() > 0.7
    room = 1e-6 * original.abs().max()
    assert ((low <= original + room) & (original <= high + room))[inside].all()
    outside = original[~inside]
    assert (
        (outside >= every.amax(0)[~inside] - room) | (outside <= every.amin(0)[~inside] + room)
    ).all()


@pytest.mark.parametrize(("preset", "shape"), CASES)
def test_the_soft_weight_starts_as_the_weight(weight, preset, shape):
    rounding = Rounding(weight, preset)
    values = grid(rounding.nearest)
    inside = rounding.low != rounding.high
    soft = values.stored_basis(rounding.soft_weight().detach())
    torch.testing.assert_close(
        soft[inside], values.stored_basis(weight)[inside], rtol=1e-5, atol=1e-6
    )
    assert rounding.soft_weight().shape == weight.shape


@pytest.mark.parametrize(("preset", "shape"), CASES)
def test_hard_values_are_representable_and_each_is_low_or_high(weight, preset, shape):
    rounding = Rounding(weight, preset)
    with torch.no_grad():
        rounding.alpha.normal_(generator=torch.Generator().manual_seed(1))
    stored = rounding.hard()
    nearest = quantize_weight(weight, preset)
    assert (stored._layout_cls, stored.shape, stored.dtype) == (
        nearest._layout_cls,
        weight.shape,
        weight.dtype,
    )
    assert (stored._qdata.shape, stored._qdata.dtype) == (
        nearest._qdata.shape,
        nearest._qdata.dtype,
    )
    assert not torch.equal(stored._qdata, nearest._qdata)
    values = grid(stored)
    chosen = torch.where(rounding.alpha >= 0, rounding.high, rounding.low)
    torch.testing.assert_close(
        stored.dequantize(), values.layer_basis(chosen), rtol=1e-5, atol=1e-7
    )
    torch.testing.assert_close(
        values.stored_basis(stored.dequantize()), chosen, rtol=1e-5, atol=1e-7
    )


@pytest.mark.parametrize(("preset", "shape"), [case for case in CASES if case[0] == "W8A8"])
def test_quantizing_hard_int8_values_again_keeps_their_codes(weight, preset, shape):
    rounding = Rounding(weight, preset)
    with torch.no_grad():
        changed = (
            rounding.nearest._qdata.abs() < 100
        )  # not the largest of a channel, from which its scale comes
        rounding.alpha[changed] = torch.randn(
            int(changed.sum()), generator=torch.Generator().manual_seed(1)
        )
    stored = rounding.hard()
    assert not torch.equal(stored._qdata, rounding.nearest._qdata)
    again = quantize_weight(stored.dequantize(), preset)
    assert torch.equal(again._qdata, stored._qdata)
    torch.testing.assert_close(again.params.scale, stored.params.scale)


@pytest.mark.parametrize(("preset", "shape"), CASES)
def test_before_learning_it_is_rounding_to_nearest(weight, preset, shape):
    rounding = Rounding(weight, preset)
    stored, nearest = rounding.hard(), quantize_weight(weight, preset)
    # 4-bit Conv2d chooses codes before its last, least-squares change of scale; these are nearest
    # after it.
    assert (stored._qdata != nearest._qdata).float().mean() < 0.02
    assert (stored.dequantize() - weight).norm() <= (nearest.dequantize() - weight).norm() * (
        1 + 1e-6
    )


def test_a_format_without_a_grid_is_refused():
    with pytest.raises(
        ValueError, match=r"TensorCoreNVFP4Layout weights cannot be calibrated; .*PersonalQInt4Conv"
    ):
        grid(SimpleNamespace(_layout_cls="TensorCoreNVFP4Layout"))
