"""PTQD's correction."""

from __future__ import annotations

import pytest
import torch

from personalq.bench.baselines import METHODS, Bits
from personalq.bench.baselines.method import guided
from personalq.bench.baselines.ptqd import find_corrections


def exact_noise(seed):
    """Noise whose channels have mean 0, so that a bias of channels does not pass for a slope."""
    eps = torch.randn(8, 4, 6, 6, generator=torch.Generator().manual_seed(seed))
    return eps - eps.mean((0, 2, 3), keepdim=True)


def test_a_linear_error_is_undone_exactly():
    """Quantized = (1 + k) exact + bias of the channel, another k and bias at each step."""
    errors = {
        0: (0.25, torch.tensor([0.1, -0.2, 0.3, 0.0])),
        5: (0.5, torch.tensor([-1.0, 0.0, 0.0, 2.0])),
    }
    answers = []
    for step, (slope, bias) in errors.items():
        exact = exact_noise(step)
        answers.append((step, exact, (1 + slope) * exact + bias[:, None, None]))
    found = find_corrections(answers)
    for (slope, bias), (step, exact, quantized) in zip(errors.values(), answers, strict=True):
        assert found[step].slope == pytest.approx(slope, abs=1e-6)
        torch.testing.assert_close(found[step].bias[:, 0, 0], bias, atol=1e-6, rtol=1e-6)
        torch.testing.assert_close(found[step](quantized), exact, atol=1e-5, rtol=1e-5)


def test_all_calls_of_a_step_count():
    exact = exact_noise(0)
    found = find_corrections([(0, exact, exact + 1), (0, exact, exact + 2)])
    torch.testing.assert_close(found[0].bias, torch.full((4, 1, 1), 1.5), atol=1e-6, rtol=1e-6)


def test_a_negative_slope_is_not_used():
    exact = exact_noise(0)
    assert find_corrections([(0, exact, 0.5 * exact)])[0].slope == 0


def test_guidance():
    eps = torch.arange(4.0).view(4, 1, 1, 1)
    conditional = torch.tensor([True, True, False, False])
    assert guided(eps, conditional, 3.0).flatten().tolist() == [2 + 3 * (0 - 2), 3 + 3 * (1 - 3)]
    assert torch.equal(guided(eps, torch.ones(4, dtype=torch.bool), 3.0), eps)
    with pytest.raises(ValueError, match="3 conditional and 1 unconditional"):
        guided(eps, torch.tensor([True, True, True, False]), 3.0)


def test_the_correction_lowers_the_error_on_the_calibration(case, answer):
    simulated = METHODS["PTQD"].quantize(case.unet, case.calibration, Bits(4, 4))
    before = after = 0.0
    for call in case.calibration.calls:
        eps = answer(simulated, call)
        exact, found = (
            guided(e, call.conditional, case.calibration.guidance) for e in (call.eps, eps)
        )
        before += (found - exact).square().sum().item()
        after += (simulated.correct(found, call.step) - exact).square().sum().item()
    assert 0 < after < before


def test_an_unknown_step_is_refused(case):
    simulated = METHODS["PTQD"].quantize(case.unet, case.calibration, Bits(8, 8))
    with pytest.raises(ValueError, match="sampling step 7"):
        simulated.correct(torch.zeros(1, 4, 8, 8), 7)
