"""Which files a base model is made of where its parts are files of their own.

The names are those of ComfyUI's own templates, without endings; the first is the usual one.
"""

from __future__ import annotations

from dataclasses import dataclass

from .base_models import covers

TEXT_ENCODERS, VAES, MODELS = "text_encoders", "vae", "diffusion_models"
"""ComfyUI's folders of parts."""
WHOLE = frozenset(
    "sd_xl_base_1.0 ponyDiffusionV6XL_v6StartWithThisOne Illustrious-XL-v1.0 NoobAI-XL-v1.1 "
    "v1-5-pruned-emaonly sd3.5_large sd3.5_medium sd3_medium".split()
)
"""Usual names of models that are checkpoints."""
PIXELS = "pixels"
"""The layout of the VAE of a model that draws pixels: it has no file."""


@dataclass(frozen=True)
class Part:
    """A text encoder or a VAE."""

    folder: str
    layout: str
    """What its tensors look like (readers/part_layouts.py)."""
    names: tuple[str, ...]
    """Usual names of the file."""


@dataclass(frozen=True)
class SplitModel:
    """The parts of one base model and of all that it covers."""

    base_model: str
    models: tuple[str, ...]
    """Usual names of the diffusion model. LoRAs are loaded on the first of them that is there."""
    clip_type: str
    """The host's name for how the text encoders are used together."""
    text_encoders: tuple[Part, ...]
    vae: Part

    @property
    def folder(self) -> str:
        """The folder of the host in which its models usually are."""
        return "checkpoints" if self.models[0] in WHOLE else MODELS


def _encoder(layout: str, names: str) -> Part:
    return Part(TEXT_ENCODERS, layout, tuple(names.split()))


def _vae(layout: str, names: str = "") -> Part:
    return Part(VAES, layout, tuple(names.split()))


def _row(base_model: str, models: str, clip_type: str, encoders: list[Part], vae: Part):
    return SplitModel(base_model, tuple(models.split()), clip_type, tuple(encoders), vae)


_CLIP_L = _encoder("clip-l", "clip_l")
_CLIP_G = _encoder("clip-g", "clip_g")
_T5 = _encoder("t5-xxl", "t5xxl_fp16 t5xxl_fp8_e4m3fn_scaled t5xxl_fp8_e4m3fn")
_UMT5 = _encoder("umt5-xxl", "umt5_xxl_fp8_e4m3fn_scaled umt5_xxl_fp16")
_QWEN3_4B = _encoder("qwen3-4b", "qwen_3_4b qwen_3_4b_fp8_mixed")
_QWEN25_7B = _encoder("qwen2.5-vl-7b", "qwen_2.5_vl_7b_fp8_scaled qwen_2.5_vl_7b")
_FLUX_VAE = _vae("16 channels", "ae flux_vae")
_FLUX2_VAE = _vae("flux2", "flux2-vae full_encoder_small_decoder")
_WAN_VAE = _vae("wan21", "wan_2.1_vae Wan2_1_VAE_bf16")
_QWEN_VAE = _vae("wan21", "qwen_image_vae")
_SDXL = [_CLIP_L, _CLIP_G], _vae("4 channels", "sdxl_vae sdxl_vae_fp16_fix sdxl.vae")
_SD3 = [_CLIP_L, _CLIP_G, _T5], _vae("16 channels", "sd3_vae sd3.5_vae")

SPLIT_MODELS = (
    _row("noobai", "NoobAI-XL-v1.1", "stable_diffusion", *_SDXL),
    _row("illustrious", "Illustrious-XL-v1.0", "stable_diffusion", *_SDXL),
    _row("pony", "ponyDiffusionV6XL_v6StartWithThisOne", "stable_diffusion", *_SDXL),
    _row("sdxl", "sd_xl_base_1.0", "stable_diffusion", *_SDXL),
    _row(
        "sd15",
        "v1-5-pruned-emaonly v1-5-pruned-emaonly-fp16",
        "stable_diffusion",
        [_CLIP_L],
        _vae("4 channels", "vae-ft-mse-840000-ema-pruned"),
    ),
    _row("sd35-large", "sd3.5_large sd3.5_large_fp8_scaled", "sd3", *_SD3),
    _row("sd35-medium", "sd3.5_medium", "sd3", *_SD3),
    _row("sd3", "sd3_medium", "sd3", *_SD3),
    _row("flux1", "flux1-dev flux1-dev-fp8", "flux", [_CLIP_L, _T5], _FLUX_VAE),
    _row(
        "flux2-klein-4b",
        "flux-2-klein-4b flux-2-klein-4b-fp8 flux-2-klein-base-4b flux-2-klein-base-4b-fp8",
        "flux2",
        [_QWEN3_4B],
        _FLUX2_VAE,
    ),
    _row(
        "flux2-klein-9b",
        "flux-2-klein-9b flux-2-klein-9b-fp8 flux-2-klein-base-9b flux-2-klein-base-9b-fp8",
        "flux2",
        [_encoder("qwen3-8b", "qwen_3_8b_fp8mixed qwen_3_8b")],
        _FLUX2_VAE,
    ),
    _row(
        "flux2",
        "flux2_dev_fp8mixed flux2-dev",
        "flux2",
        [_encoder("mistral-3-24b", "mistral_3_small_flux2_bf16 mistral_3_small_flux2_fp8")],
        _FLUX2_VAE,
    ),
    _row("chroma-radiance", "chroma-radiance-x0", "chroma", [_T5], _vae(PIXELS)),
    _row("chroma", "Chroma1-HD Chroma1-HD-fp8mixed", "chroma", [_T5], _FLUX_VAE),
    _row(
        "qwen-image-layered",
        "qwen_image_layered_bf16",
        "qwen_image",
        [_QWEN25_7B],
        _vae("wan21", "qwen_image_layered_vae"),
    ),
    _row(
        "qwen-image",
        "qwen_image_fp8_e4m3fn qwen_image_2512_fp8_e4m3fn qwen_image_bf16 qwen_image_2512_bf16",
        "qwen_image",
        [_QWEN25_7B],
        _QWEN_VAE,
    ),
    _row("z-image", "z_image_turbo_bf16 z_image_bf16", "lumina2", [_QWEN3_4B], _FLUX_VAE),
    _row(
        "lumina",
        "lumina_2_model_bf16 lumina_2",
        "lumina2",
        [_encoder("gemma-2-2b", "gemma_2_2b_fp16")],
        _FLUX_VAE,
    ),
    _row("wan22-5b", "wan2.2_ti2v_5B_fp16", "wan", [_UMT5], _vae("wan22", "wan2.2_vae")),
    _row("wan21-1.3b", "wan2.1_t2v_1.3B_fp16", "wan", [_UMT5], _WAN_VAE),
    _row(
        "wan",
        "wan2.2_t2v_low_noise_14B_fp8_scaled wan2.2_t2v_low_noise_14B_fp16 "
        "wan2.1_t2v_14B_fp8_scaled wan2.1_t2v_14B_fp16",
        "wan",
        [_UMT5],
        _WAN_VAE,
    ),
    _row(
        "anima",
        "anima-base-v1.0 anima-preview3-base",
        "stable_diffusion",
        [_encoder("qwen3-0.6b", "qwen_3_06b_base")],
        _QWEN_VAE,
    ),
    _row(
        "krea2",
        "krea2_turbo_fp8_scaled krea2_turbo_int8_convrot",
        "krea2",
        [_encoder("qwen3-vl-4b", "qwen3vl_4b_fp8_scaled qwen3vl_4b_bf16")],
        _QWEN_VAE,
    ),
    _row(
        "hidream",
        "hidream_i1_dev_fp8 hidream_i1_full_fp8 hidream_i1_fast_fp8",
        "hidream",
        [
            _encoder("clip-l", "clip_l_hidream clip_l"),
            _encoder("clip-g", "clip_g_hidream clip_g"),
            _encoder("t5-xxl", "t5xxl_fp8_e4m3fn_scaled t5xxl_fp16 t5xxl_fp8_e4m3fn"),
            _encoder("llama-3.1-8b", "llama_3.1_8b_instruct_fp8_scaled"),
        ],
        _FLUX_VAE,
    ),
)
"""The first row that covers a base model is its own."""
_WITHOUT = ("hidream-o1", "zeta-chroma", "qwen-image-2")
"""Base models with other parts than the row whose name they begin with."""


def split_model(base_model: str | None) -> SplitModel | None:
    """The parts of a base model; None if the table does not have it."""
    if base_model is None or base_model in _WITHOUT:
        return None
    return next((row for row in SPLIT_MODELS if covers(row.base_model, base_model)), None)
