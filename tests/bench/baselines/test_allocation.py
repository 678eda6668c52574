"""Bits for each token and layer, within a number of bytes."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from personalq.bench.baselines import TAQ, Bits
from personalq.bench.baselines.allocated import Allocated
from personalq.bench.baselines.allocation import allocate
from personalq.bench.baselines.mixed_attention import CHOICES
from personalq.taq_kernels import protected_tokens

SIZES = torch.tensor([1.0, 2.0, 4.0, 8.0])


def test_it_is_the_best_choice_of_all():
    """Where every step has the same size, the greedy choice is the best of all that fit."""
    generator = torch.Generator().manual_seed(0)
    sizes = torch.arange(1.0, 4).expand(5, 3)
    for _ in range(20):
        steps = torch.rand(5, 2, generator=generator).sort(1).values
        errors = torch.stack([steps.sum(1), steps[:, 0], torch.zeros(5)], 1)
        for budget in (5, 8, 12, 15):
            chosen = allocate(errors, sizes, budget)
            best = min(
                sum(errors[n, form].item() for n, form in enumerate(forms))
                for forms in product(range(3), repeat=5)
                if sum(form + 1 for form in forms) <= budget
            )
            assert errors[range(5), chosen].sum().item() == pytest.approx(best)


def test_forms_off_the_hull_are_left_out():
    """The second form takes one byte more and is hardly better than the first."""
    errors = torch.tensor([[10.0, 9.9, 0.0, 0.0]])
    assert allocate(errors, SIZES[None], 4).tolist() == [2]
    assert allocate(errors, SIZES[None], 8).tolist() == [2]
    assert allocate(errors, SIZES[None], 3).tolist() == [0]


def test_a_step_that_does_not_fit_leaves_room_for_others():
    errors = torch.tensor([[100.0, 100.0, 100.0, 0.0], [1.0, 0.5, 0.4, 0.3]])
    assert allocate(errors, SIZES.expand(2, 4), 5).tolist() == [0, 2]


def test_a_budget_below_the_smallest_forms_is_refused():
    with pytest.raises(ValueError, match="4 bytes hold not even the smallest forms: 1 lack"):
        allocate(torch.zeros(5, 4), SIZES.expand(5, 4), 4)


@pytest.fixture(params=["token and layer", "token", "layer"])
def made(request, case):
    method = Allocated("bits", TAQ(attention_only=True), request.param)
    return request.param, method.quantize(case.unet, case.calibration, Bits(None, 4))


def test_every_prompt_keeps_to_its_bytes(made, case, answer):
    unit, simulated = made
    call = case.held_out[0]
    answer(simulated, call)
    exact = protected_tokens(call.protected, "trigger + BOS")
    layers = list(simulated._layers.values())
    assert len(layers) > 1
    for entry in range(len(call.text)):
        sizes = [torch.tensor(layer.sizes) for layer in layers]
        bits = [layer.bits_of[entry] for layer in layers]
        taken = sum(
            size[[CHOICES.index(b) for b in found.tolist()]].sum().item()
            for size, found in zip(sizes, bits, strict=True)
        )
        like = sum(
            (size[-1] * exact[entry].sum() + size[1] * (~exact[entry]).sum()).item()
            for size in sizes
        )
        assert 0.8 * like < taken <= like
        if unit == "token":
            assert all(torch.equal(found, bits[0]) for found in bits)
        if unit == "layer":
            assert all(len(set(found.tolist())) == 1 for found in bits)


def test_less_error_is_expected_than_with_exact_tokens(case, answer):
    method = Allocated("bits", TAQ(attention_only=True))
    simulated = method.quantize(case.unet, case.calibration, Bits(None, 4))
    call = case.held_out[0]
    answer(simulated, call)
    exact = protected_tokens(call.protected, "trigger + BOS")
    expected = like = 0.0
    for layer, weight in zip(simulated._layers.values(), simulated._weights, strict=True):
        form = torch.tensor([[CHOICES.index(b) for b in row] for row in layer.bits_of.tolist()])
        expected += weight * layer.errors.gather(2, form[..., None]).sum().item()
        like += weight * layer.errors[..., 1][~exact].sum().item()
    assert 0 < expected < 0.8 * like


def test_bits_are_allocated_once_for_a_text(made, case, answer):
    _, simulated = made
    first, second = case.held_out[:2]
    answer(simulated, first)
    before = [layer.bits_of for layer in simulated._layers.values()]
    answer(simulated, second)  # the next step of the same text
    assert all(
        a is layer.bits_of for a, layer in zip(before, simulated._layers.values(), strict=True)
    )
    answer(simulated, case.calibration.calls[0])
    assert any(
        a is not layer.bits_of for a, layer in zip(before, simulated._layers.values(), strict=True)
    )


def test_exact_everywhere_is_full_precision(made, case, answer):
    _, simulated = made
    call = case.held_out[0]
    answer(simulated, call)
    for layer in simulated._layers.values():
        layer.bits_of = torch.full_like(layer.bits_of, 16)
    assert torch.allclose(answer(simulated, call), call.eps, atol=1e-5)


def test_shares_of_bits_are_told(made, case, answer):
    _, simulated = made
    assert simulated.about()["mixed"] == {}
    answer(simulated, case.held_out[0])
    mixed = simulated.about()["mixed"]
    assert set(mixed) == set(simulated._layers)
    for shares in mixed.values():
        assert set(shares) <= set(CHOICES)
        assert sum(shares.values()) == pytest.approx(1)
