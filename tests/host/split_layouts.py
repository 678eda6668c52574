"""The layouts of real diffusion models, as the host's own classes make them."""

from __future__ import annotations

from typing import Any, NamedTuple

import comfy.supported_models as supported
import torch

from personalq.tests.host.narrow_host import (
    LUMINA_WIDTH,
    SDXL_DEPTHS,
    UNET_WIDTH,
    Z_IMAGE_WIDTH,
    narrowing,
)


class Layout(NamedTuple):
    """A diffusion model of the host."""

    kind: str
    """Its class in comfy.supported_models."""
    config: dict[str, Any]
    """What the host's detection finds of the real model."""
    small: dict[str, Any]
    """What of it a tiny model has instead; `narrow_host.narrowing` adds what the host fixes."""


_FLUX = {
    "image_model": "flux", "in_channels": 16, "out_channels": 16, "patch_size": 2,
    "vec_in_dim": 768, "context_in_dim": 4096, "hidden_size": 3072, "mlp_ratio": 4.0,
    "num_heads": 24, "depth": 19, "depth_single_blocks": 38, "axes_dim": [16, 56, 56],
    "theta": 10000, "qkv_bias": True, "guidance_embed": True, "txt_ids_dims": [],
    "yak_mlp": False, "txt_norm": False,
}  # fmt: skip
_FLUX2 = _FLUX | {
    "image_model": "flux2", "in_channels": 128, "out_channels": 128, "patch_size": 1,
    "vec_in_dim": None, "mlp_ratio": 3.0, "axes_dim": [32] * 4, "theta": 2000, "qkv_bias": False,
    "global_modulation": True, "mlp_silu_act": True, "ops_bias": False, "txt_ids_dims": [3],
}  # fmt: skip
_CHROMA = {
    key: value
    for key, value in _FLUX.items()
    if key not in ("guidance_embed", "yak_mlp", "txt_norm")
} | {
    "image_model": "chroma", "in_channels": 64, "out_channels": 64, "in_dim": 64, "out_dim": 3072,
    "hidden_dim": 5120, "n_layers": 5, "vec_in_dim": None,
}  # fmt: skip
_RADIANCE = _CHROMA | {
    "image_model": "chroma_radiance", "in_channels": 3, "out_channels": 3, "patch_size": 16,
    "nerf_hidden_size": 64, "nerf_mlp_ratio": 4, "nerf_depth": 4, "nerf_max_freqs": 8,
    "nerf_tile_size": 512, "nerf_final_head_type": "conv", "nerf_embedder_dtype": torch.float32,
    "use_x0": True, "use_sequential_txt_ids": False,
}  # fmt: skip
_WAN = {
    "image_model": "wan2.1", "dim": 5120, "out_dim": 16, "num_heads": 40, "ffn_dim": 13824,
    "num_layers": 40, "patch_size": (1, 2, 2), "freq_dim": 256, "window_size": (-1, -1),
    "qk_norm": True, "cross_attn_norm": True, "eps": 1e-6, "in_dim": 16, "model_type": "t2v",
}  # fmt: skip
_SD3 = {
    "in_channels": 16, "patch_size": 2, "out_channels": 16, "depth": 38, "input_size": None,
    "adm_in_channels": 2048, "num_patches": 36864, "pos_embed_max_size": 192, "qk_norm": "rms",
    "pos_embed_scaling_factor": None, "x_block_self_attn_layers": [],
}  # fmt: skip
_LUMINA = {
    "image_model": "lumina2", "patch_size": 2, "in_channels": 16, "dim": 2304,
    "cap_feat_dim": 2304, "n_layers": 26, "qk_norm": True, "n_heads": 24, "n_kv_heads": 8,
    "axes_dims": [32, 32, 32], "axes_lens": [300, 512, 512], "rope_theta": 10000.0,
    "ffn_dim_multiplier": 4.0,
}  # fmt: skip
_Z_IMAGE = _LUMINA | {
    "dim": 3840, "cap_feat_dim": 2560, "n_layers": 30, "n_heads": 30, "n_kv_heads": 30,
    "axes_dims": [32, 48, 48], "axes_lens": [1536, 512, 512], "rope_theta": 256.0,
    "ffn_dim_multiplier": 8.0 / 3.0, "z_image_modulation": True, "time_scale": 1000.0,
    "pad_tokens_multiple": 32,
}  # fmt: skip
_ANIMA = {
    "image_model": "anima", "max_img_h": 240, "max_img_w": 240, "max_frames": 128,
    "in_channels": 16, "out_channels": 16, "patch_spatial": 2, "patch_temporal": 1,
    "model_channels": 2048, "concat_padding_mask": True, "crossattn_emb_channels": 1024,
    "pos_emb_cls": "rope3d", "pos_emb_learnable": True, "pos_emb_interpolation": "crop",
    "min_fps": 1, "max_fps": 30, "use_adaln_lora": True, "adaln_lora_dim": 256, "num_blocks": 28,
    "num_heads": 16, "extra_per_block_abs_pos_emb": False, "rope_h_extrapolation_ratio": 4.0,
    "rope_w_extrapolation_ratio": 4.0, "rope_t_extrapolation_ratio": 1.0,
    "extra_h_extrapolation_ratio": 1.0, "extra_w_extrapolation_ratio": 1.0,
    "extra_t_extrapolation_ratio": 1.0, "rope_enable_fps_modulation": False,
}  # fmt: skip
_HIDREAM = {
    "image_model": "hidream", "attention_head_dim": 128, "axes_dims_rope": [64, 32, 32],
    "caption_channels": [4096, 4096], "max_resolution": [128, 128], "in_channels": 16,
    "llama_layers": [*range(32), *[31] * 16], "num_attention_heads": 20, "num_routed_experts": 4,
    "num_activated_experts": 2, "num_layers": 16, "num_single_layers": 32, "out_channels": 16,
    "patch_size": 2, "text_emb_dim": 2048,
}  # fmt: skip
_KREA = {
    "image_model": "krea2", "features": 6144, "channels": 16, "patch": 2, "layers": 28,
    "heads": 48, "kvheads": 12, "txtlayers": 12, "txtdim": 2560,
}  # fmt: skip


_UNET = {
    "image_size": 32, "in_channels": 4, "out_channels": 4, "model_channels": 320,
    "use_spatial_transformer": True, "use_temporal_attention": False,
    "num_res_blocks": [2, 2, 2], "channel_mult": [1, 2, 4],
}  # fmt: skip
_SDXL = _UNET | {
    "num_head_channels": 64, "use_linear_in_transformer": True, "adm_in_channels": 2816,
    "num_classes": "sequential", "context_dim": 2048, "transformer_depth": [0, 0, 2, 2, 10, 10],
    "transformer_depth_middle": 10, "transformer_depth_output": [0, 0, 0, 2, 2, 2, 10, 10, 10],
}  # fmt: skip
_SD15 = _UNET | {
    "num_heads": 8, "use_linear_in_transformer": False, "adm_in_channels": None,
    "context_dim": 768, "num_res_blocks": [2] * 4, "channel_mult": [1, 2, 4, 4],
    "transformer_depth": [1] * 6 + [0, 0], "transformer_depth_middle": 1,
    "transformer_depth_output": [1] * 9 + [0, 0, 0],
}  # fmt: skip


def _context(width: int) -> dict[str, Any]:
    params = {"in_features": 4096, "out_features": width}
    return {"context_embedder_config": {"target": "torch.nn.Linear", "params": params}}


_BLOCKS = {"depth": 1, "depth_single_blocks": 1}
_THIN = {"hidden_size": 128, "num_heads": 1}
LAYOUTS = {
    "sd15": Layout("SD15", _SD15, {"model_channels": UNET_WIDTH}),
    "sdxl": Layout(
        "SDXL",
        _SDXL,
        {
            "model_channels": UNET_WIDTH, "num_head_channels": 32,
            "transformer_depth": SDXL_DEPTHS, "transformer_depth_middle": 2,
            "transformer_depth_output": [0, 0, 0, 1, 1, 1, 2, 2, 2],
        },
    ),
    "sd35-large": Layout(
        "SD3", _SD3 | _context(2432), {"depth": 2, "num_patches": 64, "pos_embed_max_size": 8}
        | _context(128)
    ),
    "sd35-medium": Layout(
        "SD3",
        _SD3 | _context(1536) | {"depth": 24, "x_block_self_attn_layers": [*range(13)]},
        {"depth": 2, "num_patches": 64, "pos_embed_max_size": 8, "x_block_self_attn_layers": [0]}
        | _context(128),
    ),
    "flux1": Layout("Flux", _FLUX, _BLOCKS | _THIN),
    "flux1-fill": Layout("FluxInpaint", _FLUX | {"in_channels": 96}, _BLOCKS | _THIN),
    "flux2": Layout(
        "Flux2",
        _FLUX2
        | {
            "hidden_size": 6144, "num_heads": 48, "depth": 8, "depth_single_blocks": 48,
            "context_in_dim": 15360,
        },
        _BLOCKS | _THIN,
    ),
    "flux2-klein-4b": Layout(
        "Flux2",
        _FLUX2
        | {"depth": 5, "depth_single_blocks": 20, "context_in_dim": 7680, "guidance_embed": False},
        _BLOCKS | _THIN,
    ),
    "flux2-klein-9b": Layout(
        "Flux2",
        _FLUX2
        | {
            "hidden_size": 4096, "num_heads": 32, "depth": 8, "depth_single_blocks": 24,
            "context_in_dim": 12288, "guidance_embed": False,
        },
        _BLOCKS | _THIN,
    ),
    "chroma": Layout("Chroma", _CHROMA, _BLOCKS | _THIN),
    "chroma-radiance": Layout("ChromaRadiance", _RADIANCE, _BLOCKS | _THIN),
    "qwen-image": Layout(
        "QwenImage",
        {"image_model": "qwen_image", "in_channels": 64, "num_layers": 60},
        {"num_layers": 1},
    ),
    "z-image": Layout("ZImage", _Z_IMAGE, {"n_layers": 2, "dim": Z_IMAGE_WIDTH}),
    "lumina": Layout("Lumina2", _LUMINA, {"n_layers": 2, "dim": LUMINA_WIDTH}),
    "wan": Layout("WAN21_T2V", _WAN, {"dim": 128, "num_heads": 1, "ffn_dim": 128, "num_layers": 1}),
    "wan21-1.3b": Layout(
        "WAN21_T2V",
        _WAN | {"dim": 1536, "ffn_dim": 8960, "num_heads": 12, "num_layers": 30},
        {"dim": 128, "num_heads": 1, "ffn_dim": 128, "num_layers": 1},
    ),
    "wan22-5b": Layout(
        "WAN22_T2V",
        _WAN
        | {
            "dim": 3072, "ffn_dim": 14336, "num_heads": 24, "num_layers": 30, "in_dim": 48,
            "out_dim": 48,
        },
        {"dim": 128, "num_heads": 1, "ffn_dim": 128, "num_layers": 1},
    ),
    "anima": Layout("Anima", _ANIMA, {"num_blocks": 1, "model_channels": 128}),
    "krea2": Layout("Krea2", _KREA, {"features": 256, "heads": 2, "kvheads": 1, "layers": 1}),
    "hidream": Layout("HiDream", _HIDREAM, {}),
}  # fmt: skip
"""Base model -> the layout of its diffusion model."""


def weights(name: str, *, small: bool = False, device: str = "meta") -> dict[str, torch.Tensor]:
    """The tensors of a diffusion model by name, without values on the device "meta"."""
    layout = LAYOUTS[name]
    said = layout.config | (layout.small if small else {})
    config = getattr(supported, layout.kind)(said | (narrowing(said) if small else {}))
    config.set_inference_dtype(torch.bfloat16, None)
    return config.get_model({}, "", device=device).diffusion_model.state_dict()
