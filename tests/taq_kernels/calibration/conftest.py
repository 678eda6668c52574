"""A tiny UNet in the diffusers naming."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture
def tiny_diffusers():
    diffusers = pytest.importorskip("diffusers")
    torch.manual_seed(0)
    return (
        diffusers.UNet2DConditionModel(
            sample_size=8,
            block_out_channels=(32, 64),
            layers_per_block=1,
            down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
            up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
            cross_attention_dim=32,
            attention_head_dim=8,
            norm_num_groups=8,
        )
        .eval()
        .requires_grad_(False)
    )


@pytest.fixture
def diffusers_calls():
    def calls(count: int, seed: int):
        generator = torch.Generator().manual_seed(seed)
        draw = [
            (torch.randn(2, 4, 8, 8, generator=generator), torch.randn(2, 7, 32, generator=generator))
            for _ in range(count)
        ]
        return [((x, 900 - 100 * i), {"encoder_hidden_states": text}) for i, (x, text) in enumerate(draw)]

    return calls
