"""A tiny UNet in the diffusers naming, of random weights."""

from __future__ import annotations

from typing import Any

import pytest
import torch

DIFFUSERS = "diffusers is not installed: python quickstart.py test installs it"


def tiny_unet(**settings: Any) -> Any:
    """A UNet2DConditionModel for inference, always the same: two levels of 32 channels with one
    block each and text of width 32, unless `settings` say otherwise. They have to name
    `down_block_types` and `up_block_types`.
    """
    diffusers = pytest.importorskip("diffusers", reason=DIFFUSERS)
    sizes = {
        "sample_size": 8,
        "block_out_channels": (32, 32),
        "layers_per_block": 1,
        "norm_num_groups": 8,
    }
    attention = {"cross_attention_dim": 32, "attention_head_dim": 4}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        unet = diffusers.UNet2DConditionModel(**{**sizes, **attention, **settings})
    return unet.eval().requires_grad_(False)
