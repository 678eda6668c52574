"""Anima, whose transformer is that of Cosmos Predict 2."""

from __future__ import annotations

from .family import FULL_PRECISION_GROUP, KV_GROUP, NORMS_GROUP, TEXT_GROUP, LayerNames, ModelFamily

_LAYERS = LayerNames(
    cross_attention="cross_attn",
    groups=(
        (r"(^|\.)llm_adapter\.", TEXT_GROUP),
        (r"(^|\.)(x_embedder\.proj\.1|t_embedder\.1\.linear_[12])$", FULL_PRECISION_GROUP),
        (r"(^|\.)final_layer\.", FULL_PRECISION_GROUP),
        (r"(^|\.)t_embedding_norm$", NORMS_GROUP),
        (r"\.cross_attn\.[kv]_proj$", KV_GROUP),
        (r"\.cross_attn\.(q_proj|output_proj)$", "cross-attention q/out"),
        (r"\.self_attn\.([qkv]_proj|output_proj)$", "self-attention"),
        (r"\.mlp\.layer[12]$", "feed-forward"),
        (r"\.adaln_modulation_\w+\.[12]$", "modulation by time"),
        (r"\.[qk]_norm$", NORMS_GROUP),
    ),
    blocks=r"blocks\.\d+",
)

FAMILY = ModelFamily(
    name="Anima",
    host_config="Anima",
    layers=_LAYERS,
    context_width=1024,
    picture_size=1024,
    tokenizers={"qwen3_06b": "qwen3_06b", "t5xxl": "t5xxl"},
    context_length=128,
    aligned=("t5xxl",),
    padded=True,
)
