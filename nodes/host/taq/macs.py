"""Multiply-accumulates of one call of a MODEL's UNet, counted on tensors without storage."""

from __future__ import annotations

import torch
from comfy.model_patcher import ModelPatcher

from ....taq_kernels.bops import Macs, count_macs
from ..models.load import source_key
from ..models.pool import POOL
from .plain_unet import plain_unet
from .supported import family_of_model


def count(source: ModelPatcher, side: int) -> Macs:
    """Count for one picture whose latent is `side` x `side`, with a text of ordinary length.

    Each model is counted only once for each size.
    """
    return POOL.get(
        ("macs", source_key(source), side), lambda: _count(source, side), lambda macs: 0
    )


def _count(source: ModelPatcher, side: int) -> Macs:
    config = source.model.model_config
    tokens = family_of_model(source).context_length
    attention = {"self": 0, "cross": 0}

    def add(_, q, k, v, heads, **options):
        attention["cross" if k.shape[1] == tokens else "self"] += (
            2 * q.shape[1] * k.shape[1] * q.shape[2]
        )
        return q

    unet = plain_unet(source, "meta")
    with torch.device("meta"):
        inputs = torch.empty(1, config.unet_config["in_channels"], side, side), torch.empty(1)
        context = torch.empty(1, tokens, config.unet_config["context_dim"])
        adm = config.unet_config.get("adm_in_channels")
        pooled = torch.empty(1, adm) if adm else None
        layers = count_macs(
            unet,
            *inputs,
            context,
            pooled,
            transformer_options={"optimized_attention_override": add},
        )
    return Macs(layers, attention["self"], attention["cross"], tokens)
