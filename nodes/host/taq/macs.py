"""Multiply-accumulates of one call of a MODEL, counted on tensors without storage."""

from __future__ import annotations

import torch
from comfy.model_patcher import ModelPatcher

from ....taq_kernels.bops import Macs, count_macs
from ....taq_kernels.families import TEXT_GROUP, layer_group
from ..models.load import source_key
from ..models.pool import FACTS
from .plain_unet import plain_unet
from .supported import architecture_and_family


def count(source: ModelPatcher, side: int) -> Macs:
    """Count for one picture whose latent is `side` x `side`, with a text of ordinary length.

    Each model is counted only once for each size.
    """
    key = "macs", source_key(source), side
    return FACTS.get(key, lambda: _count(source, side), lambda macs: sum(map(len, macs.layers)))


def _count(source: ModelPatcher, side: int) -> Macs:
    architecture, family = architecture_and_family(source)
    tokens = family.context_length
    attention = {"self": 0, "cross": 0}

    def add(_, q, k, v, heads, skip_reshape=False, **options):
        if skip_reshape:  # the heads are a dimension of their own
            q, k = (x.transpose(1, 2).flatten(2) for x in (q, k))
        attention["cross" if k.shape[1] == tokens else "self"] += (
            2 * q.shape[1] * k.shape[1] * q.shape[2]
        )
        return q

    unet = plain_unet(source, "meta")
    architecture.prepare(unet)
    with torch.device("meta"):
        inputs = architecture.inputs(source.model.model_config.unet_config, side, tokens)
        layers = count_macs(
            unet, **inputs, transformer_options={"optimized_attention_override": add}
        )
    text = [name for name in layers if layer_group(name) == TEXT_GROUP]
    for name in text:
        del layers[name]
    return Macs(layers, attention["self"], attention["cross"], tokens)
