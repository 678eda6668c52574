"""Test AdaRound on one layer: on new inputs it is nearer than round-to-nearest."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.func import functional_call

from personalq.taq_kernels import quantize_weight
from personalq.taq_kernels.calibration import Rounding, Schedule, adaround, learn_rounding

SCHEDULE = Schedule(iterations=150, learning_rate=1e-2, batch_size=2)


def correlated(shape: tuple[int, ...], dim: int, count: int, seed: int) -> list[torch.Tensor]:
    """Inputs whose channels move together, as those of a network do: what makes rounding to nearest
    not the best.
    """
    mix = torch.randn(shape[dim], shape[dim] // 4, generator=torch.Generator().manual_seed(9))
    generator = torch.Generator().manual_seed(seed)
    few = [shape[dim] // 4 if axis == dim else size for axis, size in enumerate(shape)]

    def draw() -> torch.Tensor:
        shared = torch.randn(few, generator=generator).movedim(dim, -1) @ mix.T / 4
        return (shared + 0.3 * torch.randn(shared.shape, generator=generator)).movedim(-1, dim)

    return [draw() for _ in range(count)]


CASES = {
    "linear": (lambda: nn.Linear(256, 48), (32, 256), 1),
    "conv": (lambda: nn.Conv2d(64, 48, 3, padding=1), (2, 64, 6, 6), 1),
    "pointwise conv": (lambda: nn.Conv2d(64, 48, 1), (2, 64, 6, 6), 1),
}


@pytest.mark.parametrize("case", CASES)
def test_4_bit_error_on_unseen_inputs_is_lower_than_to_nearest(case):
    make, shape, dim = CASES[case]
    torch.manual_seed(0)
    layer = make().requires_grad_(False)
    before = layer.weight.clone()
    inputs, unseen = correlated(shape, dim, 8, seed=1), correlated(shape, dim, 8, seed=2)
    learned = adaround(layer, inputs, [layer(x) for x in inputs], "W4A8", SCHEDULE)
    nearest = quantize_weight(layer.weight, "W4A8")
    assert torch.equal(layer.weight, before)
    assert learned._layout_cls == nearest._layout_cls
    targets = [layer(x) for x in unseen]

    def error(weight: torch.Tensor) -> float:
        layer.weight = nn.Parameter(weight, requires_grad=False)
        return (
            sum((layer(x) - y).square().sum().item() for x, y in zip(unseen, targets, strict=True))
            ** 0.5
        )

    assert error(learned.dequantize()) < 0.8 * error(nearest.dequantize())
    assert error(learned) < 0.85 * error(nearest)


def test_it_decides():
    """With enough iterations the regulariser leaves no weight between its neighbours."""
    torch.manual_seed(0)
    layer = nn.Linear(32, 16).requires_grad_(False)
    inputs = correlated((16, 32), 1, 4, seed=1)
    rounding = Rounding(layer.weight, "W4A8")
    calls = [((x,), {}) for x in inputs]
    learn_rounding(
        layer, {"weight": rounding}, calls, [layer(x) for x in inputs], Schedule(600, 3e-2, 4)
    )
    h = rounding.h().detach()
    assert ((h < 0.01) | (h > 0.99)).float().mean() > 0.97


def test_seeds():
    torch.manual_seed(0)
    layer = nn.Linear(32, 16).requires_grad_(False)
    inputs = correlated((16, 32), 1, 4, seed=1)
    targets = [layer(x) for x in inputs]

    def codes(seed: int) -> torch.Tensor:
        return adaround(layer, inputs, targets, "W4A8", Schedule(30, 3e-2, 1, seed))._qdata

    assert torch.equal(codes(1), codes(1))
    assert not torch.equal(codes(1), codes(2))


class Residual(nn.Module):
    """A residual block with an embedding of time, which is the same at all pixels."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = (nn.Conv2d(32, 32, 3, padding=1) for _ in range(2))
        self.time, self.norm = nn.Linear(1024, 32), nn.GroupNorm(8, 32)

    def forward(self, x, time):
        inner = self.conv1(x) + self.time(time)[..., None, None]
        return x + self.conv2(nn.functional.silu(self.norm(inner)))


def test_few_iterations_learn_a_block_with_an_embedding_of_time():
    """At a learning rate in proportion, 0.2, this block is worse than rounded to nearest."""
    torch.manual_seed(0)
    block, times = Residual().requires_grad_(False), nn.functional.silu(torch.randn(8, 1024))
    drawn = [torch.randn(2, 32, 8, 8).relu() for _ in range(16)]
    calls = [((x, times[[n % 8] * 2]), {}) for n, x in enumerate(drawn)]
    targets = [block(*args) for args, _ in calls]
    roundings = {
        f"{name}.weight": Rounding(block.get_submodule(name).weight, "W4A8")
        for name in ("conv1", "time", "conv2")
    }
    learn_rounding(block, roundings, calls[:8], targets[:8], Schedule(100, method="brecq"))

    def error(weights: dict[str, torch.Tensor]) -> float:
        """On the calls that were not learned from."""
        return (
            sum(
                (functional_call(block, weights, args) - target).square().sum().item()
                for (args, _), target in zip(calls[8:], targets[8:], strict=True)
            )
            ** 0.5
        )

    nearest = {name: one.nearest.dequantize() for name, one in roundings.items()}
    learned = {name: one.hard().dequantize() for name, one in roundings.items()}
    assert error(learned) < 0.85 * error(nearest)


def test_learning_rate_by_hand():
    assert Schedule().rate == 1e-3
    assert Schedule(method="brecq").rate == 1e-3
    assert Schedule(200).rate == pytest.approx(0.1)
    assert Schedule(200, method="brecq").rate == pytest.approx(1e-2)
    assert Schedule(200, 0.5).rate == 0.5


def test_beta_by_hand():
    schedule = Schedule(iterations=100)
    assert [schedule.beta(i) for i in (0, 19, 20, 60, 100)] == [None, None, 20, 11, 2]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"only Linear and Conv2d .* got SiLU"):
        adaround(nn.SiLU(), [], [], "W4A8")
    for field in ("iterations", "learning_rate", "batch_size"):
        with pytest.raises(ValueError, match=f"{field} must be greater than 0; got 0"):
            Schedule(**{field: 0})
