"""Loads a card's model with the host's own loaders, and stores it in the pool."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import comfy.sd
import comfy.utils
import folder_paths
import torch
from comfy.model_patcher import ModelPatcher

from ....checkin import Card
from ....checkin.index.bases import family_of, tensors_tell
from ....checkin.lexicon.base_models import label_of
from ....checkin.lexicon.sentences import say
from ....checkin.lexicon.split_models import PIXELS, split_model
from .lora_fit import keep_fitting
from .part_loaders import identity, load_text_encoders, load_vae
from .parts import Files, files_of, missing_base
from .patch_bytes import patch_bytes, storages
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
    """Load the model of `card`: a checkpoint, or its base with a LoRA applied.

    A checkpoint may be a diffusion model alone: its text encoders and VAE are looked for in the
    host's folders. The LoRAs `further` are applied to it, one after another. Raises
    FileNotFoundError if a file, a part or a LoRA's base is missing, and ValueError if a LoRA fits
    no layer of its base.
    """
    return load_with(card, base, [*([card] if card.kind == "lora" else []), *further])


def load_with(card: Card, base: Card | None, loras: Sequence[Card]) -> Loaded:
    """Load the checkpoint of `card`, which it is or is for, with these LoRAs and no others.

    Raises what `load` raises.
    """
    root = _root(card, base)
    files = files_of(root)
    loaded = _with_loras(loras, root, files)
    for key in (*_keys(root, files), *map(_file_key, loras)):
        POOL.touch(key)  # the LoRAs use these weights, so do not drop them first
    return loaded


def _root(card: Card, base: Card | None) -> Card:
    """The checkpoint among what is loaded."""
    file_identity(card)
    if card.kind == "checkpoint":
        return card
    if base is None:
        raise missing_base(card, split_model(family_of(card)))
    file_identity(base)
    return base


def source_key(model: ModelPatcher) -> Hashable:
    """A key of the MODEL's weights without its patches.

    If the same checkpoint is loaded twice, both have the same key.
    """
    return model.get_attachment(SOURCE) or model.clone_base_uuid


def _key(card: Card) -> Hashable:
    return ("checkpoint", *file_identity(card))


def _keys(card: Card, files: Files) -> list[Hashable]:
    """The keys of a checkpoint and of its parts: text encoders, then VAE."""
    encoders = ("text encoders", files.clip_type, *map(identity, files.text_encoders))
    vae = ("vae", identity(files.vae) if files.vae not in (None, PIXELS) else files.vae)
    return [_key(card), encoders, vae]


def _with_loras(loras: Sequence[Card], root: Card, files: Files) -> Loaded:
    if not loras:
        return _parts(root, files)
    *before, last = loras
    applied = (*((*file_identity(lora), lora.strength) for lora in loras),)
    parts = (*_keys(root, files),)

    def make() -> Loaded:
        base = _with_loras(before, root, files)
        return _apply_lora(last, root, base, lora_weights(last, parts))

    loaded = POOL.get(
        ("loras", applied, *parts),
        make,
        lambda made: _patch_bytes(made, [lora_weights(lora, parts) for lora in loras]),
        beside=(*parts, *map(_file_key, loras)),
    )
    return Loaded(loaded.model.clone(), loaded.clip.clone(), loaded.vae)


def _parts(card: Card, files: Files) -> Loaded:
    """A checkpoint with all its parts, each of them stored in the pool once."""
    own_key, encoders_key, vae_key = _keys(card, files)
    own = POOL.get(own_key, lambda: _load_checkpoint(card, files), _bytes)
    clip, vae, place = own.clip, own.vae, files.vae
    if files.text_encoders:
        clip = POOL.get(
            encoders_key,
            lambda: load_text_encoders(files.clip_type, files.text_encoders),
            lambda made: made.patcher.model_size(),
            beside=(own_key,),
        )
    if place is not None:
        vae = POOL.get(
            vae_key,
            lambda: load_vae(place),
            lambda made: made.patcher.model_size(),
            beside=(own_key,),
        )
    return Loaded(own.model.clone(), clip.clone(), vae)


def _load_checkpoint(card: Card, files: Files) -> Loaded:
    path = str(card.path)
    if files.text_encoders and files.vae:
        model, clip, vae = comfy.sd.load_diffusion_model(path), None, None
    else:
        model, clip, vae, _ = comfy.sd.load_checkpoint_guess_config(
            path,
            output_clip=not files.text_encoders,
            output_vae=not files.vae,
            embedding_directory=folder_paths.get_folder_paths("embeddings"),
        )
    if model is None:
        raise ValueError(_no_whole(card, "UNet"))
    if clip is None and not files.text_encoders:
        raise ValueError(_no_whole(card, say("text encoder")))
    if vae is not None and vae.first_stage_model is None:
        raise ValueError(_no_whole(card, "VAE"))
    model.set_attachments(SOURCE, _key(card))
    return Loaded(model, clip, vae)


def _no_whole(card: Card, part: str) -> str:
    return say(
        "'{file}' is not a whole checkpoint: it has no {part}, and Repo Check-in does not know "
        "which files go with {base}. Load it with nodes of yours, and connect `model`, `clip` and "
        "`vae`.",
        file=os.path.basename(str(card.path)),
        part=part,
        base=label_of(card.base_model) if card.base_model else say("its base model"),
    )


def lora_weights(card: Card, beside: tuple[Hashable, ...] = ()) -> Mapping[str, torch.Tensor]:
    """The tensors of a LoRA's file, which is used `beside` these entries of the pool.

    Patches of any strength share their memory.
    """
    return POOL.get(
        _file_key(card),
        lambda: _read_lora(card),
        lambda tensors: sum(tensor.nbytes for tensor in tensors.values()),
        beside,
    )


def _read_lora(card: Card) -> Mapping[str, torch.Tensor]:
    return comfy.utils.load_torch_file(card.path, safe_load=True)


def _file_key(card: Card) -> Hashable:
    return ("lora file", *file_identity(card))


def _apply_lora(
    card: Card, root: Card, base: Loaded, weights: Mapping[str, torch.Tensor]
) -> Loaded:
    model, clip = comfy.sd.load_lora_for_models(
        base.model, base.clip, weights, card.strength, card.strength
    )
    fitting = keep_fitting(model, base.model.patches)
    fitting += keep_fitting(clip.patcher, base.clip.patcher.patches)
    if not fitting:
        raise ValueError(_fits_nowhere(card, root))
    return Loaded(model, clip, base.vae)


def _fits_nowhere(card: Card, root: Card) -> str:
    made_for = tensors_tell(card) or card.base_model
    made = label_of(made_for) if made_for else say("another model")
    said = say("it was made for {base}", base=made)
    if root.base_model:
        other = label_of(root.base_model)
        said = say("it was made for {base}, and that is {other}", base=made, other=other)
    return say(
        "The LoRA '{name}' fits no layer of its base '{base}': {why}. Name another one with "
        "`base:` in the LoRA's sidecar, or choose one in the settings under PersonalQ.",
        name=card.name,
        base=root.name,
        why=said,
    )


def file_identity(card: Card) -> tuple[str, int, int]:
    """(path, bytes, modification time in ns), which identify a file without reading gigabytes."""
    if card.path is None or not os.path.isfile(card.path):
        raise FileNotFoundError(
            say(
                "The file of '{name}' is gone ({file}). Put it back, or remove its card, and queue "
                "again.",
                name=card.name,
                file=os.path.basename(card.path or "") or say("its card names none"),
            )
        )
    return identity(card.path)


def _patch_bytes(loaded: Loaded, files: Sequence[Mapping[str, torch.Tensor]]) -> int:
    """Bytes of LoRAs alone: they share the weights of their base, and the tensors of `files`."""
    shared = storages(tensor for tensors in files for tensor in tensors.values())
    patchers = (loaded.model, loaded.clip.patcher)
    return sum(patch_bytes(patcher.patches, shared) for patcher in patchers)


def _bytes(loaded: Loaded) -> int:
    """Bytes of what a checkpoint's own file holds."""
    parts = [one.patcher for one in (loaded.clip, loaded.vae) if one is not None]
    return sum(part.model_size() for part in (loaded.model, *parts))
