"""Learn the rounding of weights by gradient descent on the error of a module's output (AdaRound,
Nagel et al. 2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn
from torch.func import functional_call

from ..layouts.formats import layer_weight
from ..spec import Preset
from .blocks import Method
from .calls import Call, device_of, on_device
from .rounding import Rounding, undecided

WEIGHT = 0.01
"""Weight of the regulariser in the loss."""
WARM_UP = 0.2
"""Fraction of the iterations that run first, without the regulariser."""
ITERATIONS, LEARNING_RATE = 20_000, 1e-3
"""As published (Nagel et al. 2020, Li et al. 2021)."""
BETA = (20.0, 2.0)
"""The regulariser's exponent after the warm-up and at the end, linear in between.

A high exponent leaves undecided weights alone; a low one pushes them to one side.
"""


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to learn.

    `batch_size` counts calls, each of which may have several samples. `learning_rate` None is the
    one that fits the iterations and the `method`. Raises ValueError for numbers that are not
    positive.
    """

    iterations: int = ITERATIONS
    learning_rate: float | None = None
    batch_size: int = 4
    seed: int = 0
    method: Method = "adaround"

    def __post_init__(self) -> None:
        for field in ("iterations", "learning_rate", "batch_size"):
            value = getattr(self, field)
            if value is not None and value <= 0:
                raise ValueError(f"{field} must be greater than 0; got {value}")

    @property
    def rate(self) -> float:
        """The learning rate: 1e-3 for 20,000 iterations, as published, unless one is given.

        With fewer it is larger: for the layers of a block 1e-3 sqrt(20,000 / iterations), and for a
        single layer in proportion, 1e-3 20,000 / iterations, so that each weight can still go all
        the way. A step of Adam is as long as the learning rate, whatever the gradient, and a time
        layer has one input for all pixels: its weights move the output together. In proportion that
        swamps the other layers of its block, which comes out worse than rounded to nearest.
        """
        fewer = ITERATIONS / self.iterations
        fitting = LEARNING_RATE * (fewer if self.method == "adaround" else fewer**0.5)
        return self.learning_rate or fitting

    def beta(self, iteration: int) -> float | None:
        """The regulariser's exponent; None during the warm-up."""
        start = WARM_UP * self.iterations
        if iteration < start:
            return None
        return BETA[0] + (BETA[1] - BETA[0]) * (iteration - start) / (self.iterations - start)


def adaround(
    layer: nn.Module,
    inputs: Sequence[Tensor],
    targets: Sequence[Tensor],
    preset: str | Preset,
    schedule: Schedule = Schedule(),
) -> QuantizedTensor:
    """Quantize the weight of a Linear or Conv2d for `preset`, rounded so that layer(input) is close
    to target.

    The layer itself is not changed. Raises ValueError for other modules, and where
    `quantize_weight` does.
    """
    weight = layer_weight(layer)
    if weight is None:
        raise ValueError(
            f"only Linear and Conv2d layers have a rounding to learn; got {type(layer).__name__}"
        )
    rounding = Rounding(weight, preset)
    learn_rounding(layer, {"weight": rounding}, [((x,), {}) for x in inputs], targets, schedule)
    return rounding.hard()


def learn_rounding(
    module: nn.Module,
    roundings: Mapping[str, Rounding],
    calls: Sequence[Call],
    targets: Sequence[Tensor],
    schedule: Schedule,
) -> None:
    """Train the alphas of `roundings` so that `module` returns `targets` for `calls`.

    The keys of `roundings` are parameter names in `module`. The loss is the squared error, summed
    over output features and averaged over the rest, plus the regulariser. The sum is as in the
    published implementations: with a mean, the gradients of wide layers would be below Adam's
    epsilon. Everything runs in float32: activations are not rounded, and `module` itself is not
    changed.
    """
    # Clone: a host may load weights in inference mode, and those cannot take part in a backward
    # pass.
    named = chain(module.named_parameters(), module.named_buffers())
    others = {name: tensor.detach().clone() for name, tensor in named if name not in roundings}
    alphas = [rounding.alpha for rounding in roundings.values()]
    optimizer = torch.optim.Adam(alphas, lr=schedule.rate)
    generator = torch.Generator().manual_seed(schedule.seed)
    device = device_of(module)
    for iteration in range(schedule.iterations):
        picked = torch.randperm(len(calls), generator=generator)[: schedule.batch_size].tolist()
        state = others | {name: rounding.soft_weight() for name, rounding in roundings.items()}
        loss = torch.zeros((), device=device)
        for index in picked:
            output = functional_call(module, state, *on_device(calls[index], device))
            loss = loss + squared_error(output, targets[index].to(device)) / len(picked)
        beta = schedule.beta(iteration)
        if beta is not None:
            loss = (
                loss
                + WEIGHT * torch.stack([undecided(r.h(), beta) for r in roundings.values()]).sum()
            )
        optimizer.zero_grad()
        loss.backward(inputs=alphas)
        optimizer.step()


def squared_error(output: Tensor, target: Tensor) -> Tensor:
    """A scalar: |output - target|^2 of each row of [..., C] or pixel of [B, C, H, W], averaged."""
    return (output - target).square().sum(1 if output.dim() == 4 else -1).mean()
