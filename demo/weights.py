"""Weights of the demo models, in the layouts that ComfyUI's own loaders accept.

They come from the trained models of the miniature world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .catalogue import RANK, DemoModel

if TYPE_CHECKING:
    from torch import Tensor

Tensors = dict[str, NDArray[np.float16]]

UNET = "model.diffusion_model."


def base_checkpoint() -> Tensors:
    """Return a whole float16 checkpoint in the layout of SD 1.5.

    It has a UNet of two levels, a TAESD-shaped VAE and a CLIP-L text encoder.
    """
    from .world import library
    from .world.checkpoint import checkpoint

    return {name: _half(value) for name, value in checkpoint(library.base()).items()}


def lora(model: DemoModel) -> Tensors:
    """Return a LoRA of the base's UNet, with kohya's key names."""
    tensors: Tensors = {}
    for name, (down, up) in _factors(model).items():
        key = "lora_unet_" + name.removesuffix(".weight").replace(".", "_")
        tensors[f"{key}.lora_down.weight"] = _half(down)
        tensors[f"{key}.lora_up.weight"] = _half(up.reshape(*up.shape, *[1] * (down.dim() - 2)))
        tensors[f"{key}.alpha"] = np.array(RANK, np.float16)
    return tensors


def personalised_checkpoint(model: DemoModel, base: Tensors) -> Tensors:
    """Return the base with a difference added to its UNet, as DreamBooth training leaves it."""
    from .world import library
    from .world.unet import in_checkpoint_layout

    own = next(entry for entry in library.models() if entry.name == library.file_stem(model))
    changed = in_checkpoint_layout(library.pipeline(own).unet.state_dict())
    return base | {UNET + name: _half(value) for name, value in changed.items()}


def _factors(model: DemoModel) -> dict[str, tuple[Tensor, Tensor]]:
    """Map weight name in the checkpoint to down [r, I] and up [O, r].

    For a convolution, down is [r, I, h, w].
    """
    from .world import library
    from .world.low_rank_difference import DOWN, UP
    from .world.unet import checkpoint_name

    stored = library.personal_weights(library.file_stem(model))
    kernels = {name: weight.shape[2:] for name, weight in library.base().unet.named_parameters()}
    names = [name.removesuffix(DOWN) for name in stored if name.endswith(DOWN)]
    return {
        checkpoint_name(name): (_with_kernel(stored[name + DOWN], kernels[name]), stored[name + UP])
        for name in names
    }


def _with_kernel(down: Tensor, kernel: tuple[int, ...]) -> Tensor:
    return down.reshape(len(down), -1, *kernel)


def _half(tensor: Tensor) -> NDArray[np.float16]:
    return tensor.half().contiguous().numpy()
