"""The trained base as one checkpoint that ComfyUI's own loader reads as SD 1.5."""

from __future__ import annotations

import torch
from torch import Tensor

from .sample import Pipeline
from .text_encoder import merged_weights
from .unet import in_checkpoint_layout


def checkpoint(pipeline: Pipeline) -> dict[str, Tensor]:
    """Return UNet, autoencoder and text encoder in float16 (the autoencoder's scale in float32)."""
    tensors = {
        f"model.diffusion_model.{name}": v
        for name, v in in_checkpoint_layout(pipeline.unet.state_dict()).items()
    }
    tensors |= {
        f"first_stage_model.{name}": v for name, v in pipeline.autoencoder.checkpoint().items()
    }
    tensors |= {
        f"cond_stage_model.transformer.{name}": v
        for name, v in merged_weights(pipeline.encoder).items()
    }
    return {
        name: value.to(torch.float16 if value.ndim else torch.float32).contiguous()
        for name, value in tensors.items()
    }
