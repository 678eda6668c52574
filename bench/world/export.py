"""Writes the trained base as one checkpoint that ComfyUI's own loader reads as SD1.5.

usage: python -m personalq.bench.world.export RUN_FOLDER OUT.safetensors
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor

from .sample import Pipeline, trained_pipeline
from .text_encoder import merged_weights
from .unet import in_checkpoint_layout


def checkpoint(pipeline: Pipeline) -> dict[str, Tensor]:
    """UNet, autoencoder and text encoder in float16 (the autoencoder's scale in float32)."""
    tensors = {
        f"model.diffusion_model.{name}": v for name, v in in_checkpoint_layout(pipeline.unet.state_dict()).items()
    }
    tensors |= {f"first_stage_model.{name}": v for name, v in pipeline.autoencoder.checkpoint().items()}
    tensors |= {f"cond_stage_model.transformer.{name}": v for name, v in merged_weights(pipeline.encoder).items()}
    return {
        name: value.to(torch.float16 if value.ndim else torch.float32).contiguous() for name, value in tensors.items()
    }


if __name__ == "__main__":
    from safetensors.torch import save_file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    save_file(checkpoint(trained_pipeline(arguments.folder)), arguments.out)
