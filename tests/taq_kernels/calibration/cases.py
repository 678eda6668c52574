"""Small UNets, and calls with which to calibrate and evaluate them."""

from __future__ import annotations

import torch
from torch import nn

from personalq.taq_kernels.calibration.calls import Call
from personalq.tests.taq_kernels.unets import SmallUNet


def small_unet(width: int = 32) -> SmallUNet:
    torch.manual_seed(0)
    return SmallUNet(width).eval().requires_grad_(False)


def small_calls(count: int, seed: int) -> list[Call]:
    generator = torch.Generator().manual_seed(seed)

    def call() -> Call:
        return (torch.randn(2, 4, 8, 8, generator=generator),), {
            "text": torch.randn(2, 7, 32, generator=generator)
        }

    return [call() for _ in range(count)]


@torch.no_grad()
def relative_error(model: nn.Module, reference: nn.Module, calls: list[Call]) -> float:
    error = power = 0.0
    for args, kwargs in calls:
        target = reference(*args, **kwargs)
        error += (model(*args, **kwargs) - target).square().sum().item()
        power += target.square().sum().item()
    return (error / power) ** 0.5
