"""Which text encoder or VAE a file holds, by the names and shapes of its tensors."""

from __future__ import annotations

from ..lexicon.split_models import TEXT_ENCODERS, VAES
from .architectures import Shapes

_TEXT_STARTS = ("text_encoders.", "cond_stage_model.", "conditioner.embedders.")
_VAE_STARTS = ("first_stage_model.", "vae.")
_LAST_T5 = "encoder.block.23.layer.1.DenseReluDense.wi_1.weight"
_SECOND_BIAS = "encoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight"
_T5_XXL = 10240
"""Width of a hidden layer of T5-XXL; that of T5-XL is half of it."""
_QWEN3 = {1024: "qwen3-0.6b", 2048: "qwen3-2b", 2560: "qwen3-4b", 4096: "qwen3-8b"}
_QWEN3_VL_4B = 2560
_QWEN25 = {256: "qwen2.5-vl-3b", 512: "qwen2.5-vl-7b"}
_LLAMA = {4096: "llama-3.1-8b", 5120: "mistral-3-24b", 3072: "ministral-3-3b"}
_VAES_2D = {4: "4 channels", 16: "16 channels", 32: "flux2"}
_VAES_3D = {16: "wan21", 48: "wan22"}


def parts_within(shapes: Shapes) -> frozenset[str]:
    """Which parts the file of a diffusion model holds besides: its text encoders, its VAE."""
    found = {TEXT_ENCODERS: _TEXT_STARTS, VAES: _VAE_STARTS}
    return frozenset(
        part for part, starts in found.items() if any(name.startswith(starts) for name in shapes)
    )


def layout_of(shapes: Shapes) -> str | None:
    """The layout of a text encoder or VAE, as `lexicon.split_models` calls it; None if unknown."""
    return _vae(shapes) or _encoder_decoder(shapes) or _language_model(shapes)


def _encoder_decoder(shapes: Shapes) -> str | None:
    """CLIP and T5."""
    if "text_model.encoder.layers.0.mlp.fc1.weight" in shapes:
        if "text_model.encoder.layers.30.mlp.fc1.weight" in shapes:
            return "clip-g"
        return "clip-h" if "text_model.encoder.layers.22.mlp.fc1.weight" in shapes else "clip-l"
    if _size(shapes, _LAST_T5) == _T5_XXL:
        return "umt5-xxl" if _SECOND_BIAS in shapes else "t5-xxl"
    return None


def _language_model(shapes: Shapes) -> str | None:
    """Qwen, Llama, Mistral and Gemma, also with a part for pictures."""
    if merged := _size(shapes, "model.visual.merger.linear_fc2.weight"):
        return "qwen3-vl-4b" if merged == _QWEN3_VL_4B else "qwen3-vl-8b"
    if "model.layers.0.post_feedforward_layernorm.weight" in shapes:
        has_norm = "model.layers.0.self_attn.q_norm.weight" in shapes
        return "gemma-3" if has_norm else "gemma-2-2b"
    if bias := _size(shapes, "model.layers.0.self_attn.k_proj.bias"):
        return _QWEN25.get(bias)
    width = _size(shapes, "model.layers.0.post_attention_layernorm.weight")
    named = "model.layers.0.self_attn.q_norm.weight" in shapes
    return (_QWEN3 if named else _LLAMA).get(width)


def _vae(shapes: Shapes) -> str | None:
    deep = shapes.get("decoder.conv1.weight", ())
    if len(deep) == 5:  # of a video
        return _VAES_3D.get(deep[1])
    flat = shapes.get("decoder.conv_in.weight", ())
    return _VAES_2D.get(flat[1]) if len(flat) == 4 else None


def _size(shapes: Shapes, name: str) -> int:
    """The first size of a tensor; 0 where it is missing."""
    return (shapes.get(name) or (0,))[0]
