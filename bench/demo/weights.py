"""Weights of the demo models: random from a fixed seed, in the layouts that ComfyUI's own loaders accept.

A tensor's values depend on its name and its model's name alone, so the same files come out on every run.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from ..unet_shapes import DEMO, Shapes, unet_shapes

Tensors = dict[str, NDArray[np.float16]]

UNET = "model.diffusion_model."
RANK = 4
LORA_EFFECT = 0.5
"""Size of a LoRA's difference, relative to the weight it changes (Frobenius norms)."""
_UNET_GAIN = 0.7
_CLIP_LAYERS, _CLIP_WIDTH = 12, 768


def base_checkpoint() -> Tensors:
    """A whole SD1.5-layout checkpoint: UNet (two levels), TAESD-shaped VAE, CLIP-L text encoder; float16."""
    tensors = {UNET + name: _random("base", name, shape, _UNET_GAIN) for name, shape in unet_shapes(DEMO).items()}
    for prefix, shapes in (("first_stage_model.", _vae_shapes()), ("cond_stage_model.transformer.", _clip_shapes())):
        tensors |= {prefix + name: _random("base", name, shape, 1.0) for name, shape in shapes.items()}
    last = "first_stage_model.taesd_decoder.19"
    tensors[f"{last}.weight"] *= np.float16(0.1)  # mid grey and soft, or every pixel would be black or full
    tensors[f"{last}.bias"] += np.float16(0.5)
    return tensors


def lora(model: str) -> Tensors:
    """A rank-4 LoRA of the base's transformers, with kohya's key names."""
    tensors: Tensors = {}
    for name, shape in _personal_layers().items():
        down, up = _factors(model, name, shape)
        key = "lora_unet_" + name.removesuffix(".weight").replace(".", "_")
        kernel = shape[2:]  # 1x1 for the projections that are convolutions
        tensors[f"{key}.lora_down.weight"] = down.reshape(RANK, shape[1], *kernel).astype(np.float16)
        tensors[f"{key}.lora_up.weight"] = up.reshape(shape[0], RANK, *kernel).astype(np.float16)
        tensors[f"{key}.alpha"] = np.array(RANK, np.float16)
    return tensors


def personalised_checkpoint(model: str, base: Tensors) -> Tensors:
    """The base with one model's difference added to its transformers, as DreamBooth training leaves it."""
    tensors = dict(base)
    for name, shape in _personal_layers().items():
        down, up = _factors(model, name, shape)
        changed = base[UNET + name].astype(np.float32) + (up @ down).reshape(shape)
        tensors[UNET + name] = changed.astype(np.float16)
    return tensors


def _personal_layers() -> Shapes:
    """The weights that a personalised model changes: attention, feed-forward and projections of the transformers."""
    shapes = unet_shapes(DEMO).items()
    parts = (".transformer_blocks.", ".proj_in.", ".proj_out.")
    return {name: shape for name, shape in shapes if len(shape) > 1 and any(part in name for part in parts)}


def _factors(model: str, name: str, shape: tuple[int, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """`down` [RANK, inputs] and `up` [outputs, RANK]; their product has LORA_EFFECT of the base weight's norm."""
    outputs, inputs = shape[:2]
    down = _normal(model, name + ".down", (RANK, inputs)) * np.float32(inputs**-0.5)
    up = _normal(model, name + ".up", (outputs, RANK)) * np.float32(LORA_EFFECT * _UNET_GAIN * RANK**-0.5)
    return down, up


def _random(model: str, name: str, shape: tuple[int, ...], gain: float) -> NDArray[np.float16]:
    """Zero biases, unit norm weights, small embeddings, and matrices that keep a signal's size (times `gain`)."""
    if name.endswith("bias") or name == "vae_shift":
        return np.zeros(shape, np.float16)
    if len(shape) < 2:
        return np.ones(shape, np.float16)
    size = 0.02 if "embedding" in name else gain / np.sqrt(np.prod(shape[1:]))
    return (_normal(model, name, shape) * np.float32(size)).astype(np.float16)


def _normal(model: str, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    seed = [zlib.crc32(model.encode()), zlib.crc32(name.encode())]
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def _vae_shapes() -> Shapes:
    """The tiny autoencoder TAESD (64 channels throughout), under the names of its nn.Sequential."""
    blocks = {"taesd_encoder": (1, 3, 4, 5, 7, 8, 9, 11, 12, 13), "taesd_decoder": (3, 4, 5, 8, 9, 10, 13, 14, 15, 18)}
    strided = {"taesd_encoder": (2, 6, 10), "taesd_decoder": (7, 12, 17)}
    ends = {
        "taesd_encoder.0": (64, 3),
        "taesd_encoder.14": (4, 64),
        "taesd_decoder.1": (64, 4),
        "taesd_decoder.19": (3, 64),
    }
    shapes: Shapes = {"vae_scale": (), "vae_shift": ()}
    for half, numbers in blocks.items():
        shapes |= {f"{half}.{number}.weight": (64, 64, 3, 3) for number in strided[half]}
        for layer in (f"{half}.{number}.conv.{turn}" for number in numbers for turn in (0, 2, 4)):
            shapes |= {f"{layer}.weight": (64, 64, 3, 3), f"{layer}.bias": (64,)}
    for layer, (outputs, inputs) in ends.items():
        shapes |= {f"{layer}.weight": (outputs, inputs, 3, 3), f"{layer}.bias": (outputs,)}
    return shapes


def _clip_shapes() -> Shapes:
    """CLIP ViT-L/14's text encoder, under the names of Hugging Face's CLIPTextModel."""
    width = _CLIP_WIDTH
    embeddings, encoder = "text_model.embeddings", "text_model.encoder.layers"
    shapes: Shapes = {f"{embeddings}.token_embedding.weight": (49408, width)}
    shapes |= {f"{embeddings}.position_embedding.weight": (77, width)}
    norms = ["text_model.final_layer_norm"]
    for layer in (f"{encoder}.{number}" for number in range(_CLIP_LAYERS)):
        norms += [f"{layer}.layer_norm1", f"{layer}.layer_norm2"]
        matrices = {f"self_attn.{part}_proj": (width, width) for part in "qkv"} | {"self_attn.out_proj": (width, width)}
        matrices |= {"mlp.fc1": (4 * width, width), "mlp.fc2": (width, 4 * width)}
        for name, shape in matrices.items():
            shapes |= {f"{layer}.{name}.weight": shape, f"{layer}.{name}.bias": shape[:1]}
    for norm in norms:
        shapes |= {f"{norm}.weight": (width,), f"{norm}.bias": (width,)}
    return shapes
