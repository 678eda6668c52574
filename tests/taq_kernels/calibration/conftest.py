"""A tiny UNet in the diffusers naming."""

from __future__ import annotations

import pytest
import torch

from personalq.tests.tiny_unet import tiny_unet


@pytest.fixture
def tiny_diffusers():
    return tiny_unet(
        block_out_channels=(32, 64),
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        attention_head_dim=8,
    )


@pytest.fixture
def diffusers_calls():
    def calls(count: int, seed: int):
        generator = torch.Generator().manual_seed(seed)
        draw = [
            (
                torch.randn(2, 4, 8, 8, generator=generator),
                torch.randn(2, 7, 32, generator=generator),
            )
            for _ in range(count)
        ]
        return [
            ((x, 900 - 100 * i), {"encoder_hidden_states": text})
            for i, (x, text) in enumerate(draw)
        ]

    return calls
