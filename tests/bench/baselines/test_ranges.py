"""Test that ranges serve several bits of activations, and nothing that would find others."""

from __future__ import annotations

import pytest
import torch

from personalq.bench.baselines import METHODS, Bits, Calibration, round_weights
from personalq.bench.baselines.dgq import DGQ
from personalq.bench.baselines.grouped import Grouped

STATIC = [name for name in METHODS if name != "per row" and not name.startswith("TAQ")]


@pytest.fixture
def calls(case):
    """The number of calls of copies of the UNet so far, in a list."""
    counted = []
    with case.unet.register_forward_pre_hook(lambda *_: counted.append(1)):
        yield counted


def fresh(case):
    return Calibration(case.calibration.calls, case.calibration.guidance)


def quantized(case, name, calibration, bits):
    return METHODS[name].quantize(case.unet, calibration, bits, case.rounded[bits.weights])


@pytest.mark.parametrize("name", STATIC)
def test_other_bits_are_those_of_a_calibration_of_their_own(case, answer, calls, name):
    shared = fresh(case)
    quantized(case, name, shared, Bits(8, 8))
    before = len(calls)
    reused = quantized(case, name, shared, Bits(8, 4))
    ran = len(calls) - before
    corrections = len(shared.calls) if name == "PTQD" else 0
    assert ran == corrections, "the calibration calls ran again"
    own = quantized(case, name, fresh(case), Bits(8, 4))
    for call in case.held_out:
        reused_eps, own_eps = answer(reused, call), answer(own, call)
        assert torch.equal(reused_eps, own_eps)
        assert torch.equal(
            reused.correct(reused_eps[:1], call.step), own.correct(own_eps[:1], call.step)
        )


@pytest.mark.parametrize(
    "other",
    [
        lambda case: (METHODS["DGQ"], case.rounded[4]),
        lambda case: (DGQ(groups=8), case.rounded[8]),
        lambda case: (METHODS["MixDQ + DGQ"], case.rounded[8]),
        lambda case: (METHODS["TFMQ-DM"], case.rounded[8]),
        lambda case: (METHODS["DGQ"], round_weights(case.unet, Bits(8, 8), case.calibration)),
    ],
    ids=["weights of other bits", "other groups", "exact rows", "other ranges", "other weights"],
)
def test_what_would_find_others_is_calibrated_by_itself(case, calls, other):
    shared = fresh(case)
    quantized(case, "DGQ", shared, Bits(8, 8))
    before = len(calls)
    method, weights = other(case)
    method.quantize(case.unet, shared, Bits(weights.wanted, 4), weights)
    assert len(calls) - before == len(shared.calls)


def test_groups_find_the_same_from_a_view_in_another_order():
    """A convolution's input is channels first in memory."""
    x = torch.randn(2, 6, 4, 4, generator=torch.Generator().manual_seed(0))
    seen = Grouped(8, 3), Grouped(8, 3)
    for quantizer, data in zip(
        seen, (x.movedim(1, -1), x.movedim(1, -1).contiguous()), strict=True
    ):
        quantizer.see(data, 0)
        quantizer.finish()
    assert torch.equal(seen[0](x.movedim(1, -1), 0), seen[1](x.movedim(1, -1), 0))
