"""A UNet of two levels, and calls recorded while it samples in full precision."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from personalq.bench.baselines import Bits, Calibration, Call, round_weights
from personalq.bench.baselines.method import guided
from personalq.bench.taq.unets import randomize_
from personalq.tests.tiny_unet import tiny_unet

ROWS, STEPS, GUIDANCE = 9, 3, 3.0


def record(unet, guidance=GUIDANCE, captions=2):
    """A calibration: each caption sampled for STEPS steps, its trigger in rows 3 and 4, the end
    token in row 6.
    """
    generator = torch.Generator().manual_seed(1)
    marks = torch.zeros(2, ROWS)
    marks[0, 3:5], marks[:, 6:] = 1, -1
    conditional, calls = torch.tensor([True, False]), []
    for _ in range(captions):
        latents = torch.randn(1, 4, 8, 8, generator=generator)
        text = torch.randn(2, ROWS, 32, generator=generator)
        text[:, 0] = 20 * torch.randn(
            32, generator=torch.Generator().manual_seed(2)
        )  # the same start token everywhere
        for step, timestep in enumerate((900, 500, 100)):
            both, time = latents.repeat(2, 1, 1, 1), torch.tensor(timestep)
            with torch.no_grad():
                eps = unet(both, time, text).sample
            calls.append(Call(both, time, text, None, step, conditional, marks, eps))
            latents = latents - 0.3 * guided(eps, conditional, guidance)
    return Calibration(tuple(calls), guidance)


@pytest.fixture(scope="package")
def case():
    """`unet`, its `rounded` weights by bits, and `calibration` and `held_out` calls; none is to be
    changed.
    """
    unet = tiny_unet(
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "UpBlock2D"),
    )
    randomize_(unet)
    calls = record(unet, captions=3).calls
    calibration = Calibration(calls[: 2 * STEPS], GUIDANCE)
    rounded = {bits: round_weights(unet, Bits(bits, None), calibration) for bits in (8, 4, None)}
    return SimpleNamespace(
        unet=unet, rounded=rounded, calibration=calibration, held_out=calls[2 * STEPS :]
    )


@pytest.fixture(scope="package")
def answer():
    """(simulated, call) -> its noise."""

    def eps(simulated, call):
        return simulated.eps(
            call.latents, call.timestep, call.text, call.added, call.step, call.protected
        )

    return eps
