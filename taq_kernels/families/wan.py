"""Wan 2.1 and 2.2, of 1.3, 5 and 14 billion weights."""

from __future__ import annotations

from .family import FULL_PRECISION_GROUP, KV_GROUP, NORMS_GROUP, TEXT_GROUP, LayerNames, ModelFamily

_LAYERS = LayerNames(
    cross_attention="cross_attn",
    groups=(
        (r"(^|\.)text_embedding\.\d$", TEXT_GROUP),
        (
            r"(^|\.)(patch_embedding|time_embedding\.\d|time_projection\.1|head\.head|ref_conv)$",
            FULL_PRECISION_GROUP,
        ),
        (r"(^|\.)img_emb\.", FULL_PRECISION_GROUP),
        (r"\.cross_attn\.[kv]$", KV_GROUP),
        (r"\.cross_attn\.[kv]_img$", "cross-attention k/v of a picture"),
        (r"\.cross_attn\.[qo]$", "cross-attention q/out"),
        (r"\.self_attn\.[qkvo]$", "self-attention"),
        (r"\.ffn\.[02]$", "feed-forward"),
        (r"(\.norm_[qk]|\.norm_k_img|\.norm3|\bmodulation)$", NORMS_GROUP),
    ),
    blocks=r"blocks\.\d+",
)

FAMILY = ModelFamily(
    name="Wan 2.1",
    host_config="WAN21_T2V",
    layers=_LAYERS,
    context_width=4096,
    picture_size=480,
    tokenizers={"umt5xxl": "clip_umt5xxl"},
    context_length=128,
    padded=True,
    derivatives=("Wan 2.2",),
)
