"""The layouts of real text encoders and VAEs, as the host's own classes make them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import comfy.clip_model
import comfy.ldm.models.autoencoder as autoencoder
import comfy.ldm.wan.vae
import comfy.ldm.wan.vae2_2
import comfy.ops
import comfy.sd
import comfy.utils
import torch
from comfy.text_encoders import llama, qwen3vl, t5


class Encoder(NamedTuple):
    """A text encoder of the host."""

    kind: type
    """The class of its layers."""
    host_name: str
    """What the host's detection calls it (comfy.sd.TEModel)."""
    config: str = ""
    """The file with its sizes, in the host's folder; "" where the class has them."""


class _Qwen3VL4B(qwen3vl.Qwen3VL):
    model_type = "qwen3vl_4b"


_CLIP = comfy.clip_model.CLIPTextModel
ENCODERS = {
    "clip-l": Encoder(_CLIP, "CLIP_L", "sd1_clip_config.json"),
    "clip-g": Encoder(_CLIP, "CLIP_G", "clip_config_bigg.json"),
    "t5-xxl": Encoder(t5.T5, "T5_XXL", "text_encoders/t5_config_xxl.json"),
    "umt5-xxl": Encoder(t5.T5, "T5_XXL", "text_encoders/umt5_config_xxl.json"),
    "qwen3-0.6b": Encoder(llama.Qwen3_06B, "QWEN3_06B"),
    "qwen3-4b": Encoder(llama.Qwen3_4B, "QWEN3_4B"),
    "qwen3-8b": Encoder(llama.Qwen3_8B, "QWEN3_8B"),
    "qwen2.5-vl-7b": Encoder(llama.Qwen25_7BVLI, "QWEN25_7B"),
    "mistral-3-24b": Encoder(llama.Mistral3Small24B, "MISTRAL3_24B"),
    "llama-3.1-8b": Encoder(llama.Llama2, "LLAMA3_8"),
    "qwen3-vl-4b": Encoder(_Qwen3VL4B, "QWEN3VL_4B"),
    "gemma-2-2b": Encoder(llama.Gemma2_2B, "GEMMA_2_2B"),
}
"""Layout, as our table calls it -> the host's classes."""


def encoder_weights(layout: str, device: str = "meta", **narrower: Any) -> dict[str, torch.Tensor]:
    """The tensors of a text encoder; `narrower` replaces some of its sizes."""
    encoder = ENCODERS[layout]
    config = {}
    if encoder.config:
        config = json.loads((Path(comfy.sd.__file__).parent / encoder.config).read_text())
    made = encoder.kind(config | narrower, torch.bfloat16, device, comfy.ops.manual_cast)
    state = made.state_dict()
    if layout != "qwen3-vl-4b":
        return state
    renamed = {"model.": "model.language_model.", "visual.": "model.visual."}
    return comfy.utils.state_dict_prefix_replace(state, renamed)


def _flat(channels: int, width: int, **more: Any) -> torch.nn.Module:
    sizes = {
        "double_z": True, "z_channels": channels, "resolution": 256, "in_channels": 3, "out_ch": 3,
        "ch": width, "ch_mult": [1, 2, 4, 4], "num_res_blocks": 2, "attn_resolutions": [],
        "dropout": 0.0,
    }  # fmt: skip
    return autoencoder.AutoencoderKL(ddconfig=sizes | more, embed_dim=channels)


def _wan(kind: Any, channels: int, width: int) -> torch.nn.Module:
    return kind(
        dim=width, z_dim=channels, dim_mult=[1, 2, 4, 4], num_res_blocks=2, attn_scales=[],
        temperal_downsample=[False, True, True], dropout=0.0,
    )  # fmt: skip


VAES = {
    "4 channels": lambda: _flat(4, 128),
    "16 channels": lambda: _flat(16, 128),
    "flux2": lambda: _flat(32, 128, batch_norm_latent=True),
    "wan21": lambda: _wan(comfy.ldm.wan.vae.WanVAE, 16, 32),
    "wan22": lambda: _wan(comfy.ldm.wan.vae2_2.WanVAE, 48, 160),
}
"""Layout -> what makes its VAE, on torch's default device."""
