"""Loads a card's model with the host's own loaders, and stores it in the pool."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

import comfy.sd
import comfy.utils
import folder_paths
from comfy.model_patcher import ModelPatcher

from ....checkin import Card
from .patch_bytes import patch_bytes
from .pool import POOL

SOURCE = "personalq_source"
"""Name of the attachment of a loaded MODEL with the key of its checkpoint's weights.

Patches do not change it.
"""


class Loaded(NamedTuple):
    """A model with its text encoder and VAE."""

    model: ModelPatcher
    clip: comfy.sd.CLIP
    vae: comfy.sd.VAE


def load(card: Card, base: Card | None, further: Sequence[Card] = ()) -> Loaded:
    """Load the model of `card`: a checkpoint, or the checkpoint `base` with a LoRA applied.

    The LoRAs `further` are applied to it, one after another. Raises FileNotFoundError if a file or
    a LoRA's base checkpoint is missing, and ValueError if a LoRA fits no layer of its base.
    """
    loaded = _one(card, base)
    key: Hashable = (*file_identity(card), card.strength, base and file_identity(base))
    for other in further:
        key = ("further", key, *file_identity(other), other.strength)
        loaded = _pooled(key, partial(_apply_lora, other, loaded))
    return loaded


def _one(card: Card, base: Card | None) -> Loaded:
    if card.kind == "checkpoint":
        return _checkpoint(card)
    if base is None:
        wanted = (
            f"'{card.base}'"
            if card.base
            else f"a checkpoint of its base model ({card.base_model or 'unknown'})"
        )
        raise FileNotFoundError(
            f"The LoRA '{card.name}' needs {wanted}, and the checkpoints folder has none. "
            "Put that checkpoint there, or name one in the LoRA's sidecar with `base:`."
        )
    return _lora(card, base)


def source_key(model: ModelPatcher) -> Hashable:
    """A key of the MODEL's weights without its patches.

    If the same checkpoint is loaded twice, both have the same key.
    """
    return model.get_attachment(SOURCE) or model.clone_base_uuid


def _checkpoint(card: Card) -> Loaded:
    key = _checkpoint_key(card)
    return _pooled(key, lambda: _load_checkpoint(str(card.path), key))


def _checkpoint_key(card: Card) -> Hashable:
    return ("checkpoint", *file_identity(card))


def _lora(card: Card, base: Card) -> Loaded:
    key = ("lora", *file_identity(card), card.strength, *file_identity(base))
    loaded = _pooled(key, lambda: _apply_lora(card, _checkpoint(base)))
    POOL.touch(_checkpoint_key(base))  # the LoRA uses its weights, so do not drop it first
    return loaded


def _pooled(key: Hashable, make) -> Loaded:
    loaded = POOL.get(key, make, _bytes)
    return Loaded(loaded.model.clone(), loaded.clip.clone(), loaded.vae)


def _load_checkpoint(path: str, key: Hashable) -> Loaded:
    embeddings = folder_paths.get_folder_paths("embeddings")
    model, clip, vae, _ = comfy.sd.load_checkpoint_guess_config(
        path, embedding_directory=embeddings
    )
    if model is None or clip is None:
        missing = "UNet" if model is None else "text encoder"
        raise ValueError(
            f"'{os.path.basename(path)}' is not a whole checkpoint: it has no {missing}."
        )
    model.set_attachments(SOURCE, key)
    return Loaded(model, clip, vae)


def _apply_lora(card: Card, base: Loaded) -> Loaded:
    weights = comfy.utils.load_torch_file(card.path, safe_load=True)
    model, clip = comfy.sd.load_lora_for_models(
        base.model, base.clip, weights, card.strength, card.strength
    )
    if not model.patches and not clip.patcher.patches:
        raise ValueError(
            f"The LoRA '{card.name}' fits no layer of its base checkpoint: it was trained for "
            "another model. Name the right checkpoint in its sidecar with `base:`."
        )
    return Loaded(model, clip, base.vae)


def file_identity(card: Card) -> tuple[str, int, int]:
    """(path, bytes, modification time in ns), which identify a file without reading gigabytes."""
    if card.path is None or not os.path.isfile(card.path):
        raise FileNotFoundError(
            f"The file of '{card.name}' is gone "
            f"({os.path.basename(card.path or '') or 'its card names none'}). Put it back, or "
            "remove its card, and queue again."
        )
    stat = os.stat(card.path)
    return os.path.realpath(card.path), stat.st_size, stat.st_mtime_ns


def _bytes(loaded: Loaded) -> int:
    """Bytes of this entry alone: a LoRA shares its base's weights, so only its patches count."""
    if loaded.model.patches or loaded.clip.patcher.patches:
        return patch_bytes(loaded.model.patches) + patch_bytes(loaded.clip.patcher.patches)
    return (
        loaded.model.model_size()
        + loaded.clip.patcher.model_size()
        + loaded.vae.patcher.model_size()
    )
