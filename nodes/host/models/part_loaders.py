"""Loads text encoders and VAEs that are files of their own, with the host's own loaders."""

from __future__ import annotations

import os
from collections.abc import Sequence

import comfy.sd
import comfy.utils
import folder_paths
import torch

from ....checkin.lexicon.split_models import PIXELS


def identity(path: str) -> tuple[str, int, int]:
    """(path, bytes, modification time in ns), which identify a file without reading gigabytes."""
    stat = os.stat(path)
    return os.path.realpath(path), stat.st_size, stat.st_mtime_ns


def load_text_encoders(clip_type: str, paths: Sequence[str]) -> comfy.sd.CLIP:
    """The text encoders of a model, used together in the way that the host calls `clip_type`."""
    return comfy.sd.load_clip(
        list(paths),
        embedding_directory=folder_paths.get_folder_paths("embeddings"),
        clip_type=comfy.sd.CLIPType[clip_type.upper()],
    )


def load_vae(place: str) -> comfy.sd.VAE:
    """The VAE of a file; for PIXELS, what the host uses instead of one."""
    if place == PIXELS:
        return comfy.sd.VAE(sd={"pixel_space_vae": torch.tensor(1.0)})
    tensors, metadata = comfy.utils.load_torch_file(place, return_metadata=True)
    vae = comfy.sd.VAE(sd=tensors, metadata=metadata)
    vae.throw_exception_if_invalid()
    vae.patcher.cached_patcher_init = (comfy.sd.load_vae_patcher, (place, metadata, None))
    return vae
