"""Cost of a simulated UNet: bytes of its weights, and bit operations of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn

from ...taq_kernels import protected_tokens
from ...taq_kernels.bops import count_macs
from ...taq_kernels.layouts.formats import stored_bytes
from ...taq_kernels.quantize import quantize_weight
from ...taq_kernels.spec import PROTECT
from .subject import Subject

HALF, FLOAT_BITS = 2, 16
"""Floating point counts as half precision: two bytes a value, 16 bits."""
ROW_SCALE = 5
"""Bytes of the scale and zero point of a token's keys or values."""
Precisions = Mapping[str, Any]
"""The result of `Simulated.about`: bits of layers and attention, and what is protected."""
FULL_PRECISION: Precisions = {"layers": {}, "attention": {}, "protected": "none"}


@dataclass(frozen=True)
class Census:
    """Multiply-accumulate operations of one call of a UNet for one prompt."""

    layers: Mapping[str, int]
    attention: Mapping[str, int]
    """Name of an attention -> operations of Q K^T; A V has as many."""
    text_rows: int
    keys: Mapping[str, int] = field(default_factory=dict)
    """Name of a cross-attention -> number of values in K for one prompt; V has as many."""


@torch.no_grad()
def census(subject: Subject) -> Census:
    """Count the operations in one real call."""
    empty = subject.encode([""])
    latent = torch.zeros(1, *subject.latent, device=subject.device)
    queries: dict[str, int] = {}
    rows: dict[str, int] = {}
    keys: dict[str, int] = {}
    hooks = []
    for name, layer in subject.unet.named_modules():
        owner, _, part = name.rpartition(".")
        if part == "to_q":
            hooks.append(
                layer.register_forward_hook(partial(_note, queries, owner, lambda x: x.numel()))
            )
        if part == "to_k":
            hooks.append(
                layer.register_forward_hook(partial(_note, rows, owner, lambda x: x.shape[1]))
            )
        if name.endswith(".attn2.to_k"):
            hooks.append(
                layer.register_forward_hook(partial(_note, keys, owner, lambda x: x.numel()))
            )
    added = {"added_cond_kwargs": empty.added} if empty.added else {}
    layers = count_macs(subject.unet, latent, torch.tensor(0), empty.rows, **added)
    for hook in hooks:
        hook.remove()
    return Census(
        layers,
        {name: count * rows[name] for name, count in queries.items()},
        empty.rows.shape[1],
        keys,
    )


def _note(
    found: dict[str, int], name: str, measure: Any, _: nn.Module, __: Any, output: Tensor
) -> None:
    found[name] = measure(output)


def weight_bytes(unet: nn.Module, precisions: Precisions) -> int:
    """Return the bytes of all parameters, with scales.

    Quantized ones are in the formats of `taq_kernels`.
    """
    total = 0
    for name, parameter in unet.named_parameters():
        bits = (
            precisions["layers"].get(name.removesuffix(".weight"), (None, None))[0]
            if name.endswith(".weight")
            else None
        )
        total += (
            parameter.numel() * HALF
            if bits is None
            else _format_bytes(tuple(parameter.shape), bits)
        )
    return total


@cache
def _format_bytes(shape: tuple[int, ...], bits: int) -> int:
    return stored_bytes(quantize_weight(torch.ones(shape), bits))


def bops(counted: Census, precisions: Precisions, protected: float, steps: int) -> float:
    """Return the bit operations of a call for one prompt.

    Each multiply-accumulate counts the product of both operands' bits. `protected` is the number of
    tokens that stay exact; products with them count 16 x 16. "mixed" in `precisions` says which
    share of a layer's tokens has which bits in its place (`baselines.allocated`). Projections of
    the text (`to_k` and `to_v` of cross-attention) run once for all `steps` of a picture, whatever
    their bits.
    """
    total = 0.0
    for name, count in counted.layers.items():
        weight, activation = precisions["layers"].get(name, (None, None))
        product = (weight or FLOAT_BITS) * (activation or FLOAT_BITS)
        total += count * product / (steps if name.endswith((".attn2.to_k", ".attn2.to_v")) else 1)
    for name, count in counted.attention.items():
        bits = {
            part: value or FLOAT_BITS
            for part, value in precisions["attention"].get(name, {}).items()
        }
        q, k, v, a = (bits.get(part, FLOAT_BITS) for part in "qkva")
        mixed = precisions.get("mixed", {}).get(name)
        if mixed:
            total += count * sum(share * _products(q, a, own) for own, share in mixed.items())
            continue
        exact = protected / counted.text_rows if name.endswith("attn2") else 0.0
        total += count * ((1 - exact) * (q * k + a * v) + exact * 2 * FLOAT_BITS**2)
    return total


def _products(q: int, a: int, text: int) -> int:
    """Return the bits of a token's two products, where its K and V have bits of their own.

    Its column of A has as many, but no fewer than `a`.
    """
    if text >= FLOAT_BITS:
        return 2 * FLOAT_BITS**2
    return q * text + max(a, text) * text


def key_value_bytes(counted: Census, precisions: Precisions, protected: float) -> float:
    """Return the stored bytes of K and V for one prompt.

    `protected` tokens take two bytes a value; each other token takes its bits, a float32 scale and
    a zero point of one byte, in K and in V.
    """
    total, exact = 0.0, protected / counted.text_rows
    for name, values in counted.keys.items():
        mixed = precisions.get("mixed", {}).get(name)
        if mixed:
            scales = (1 - mixed.get(FLOAT_BITS, 0)) * counted.text_rows * ROW_SCALE
            total += 2 * (sum(values * bits / 8 * share for bits, share in mixed.items()) + scales)
            continue
        for part in "kv":
            bits = precisions["attention"].get(name, {}).get(part)
            if bits is None:
                total += values * HALF
            else:
                codes = values * bits / 8 + counted.text_rows * ROW_SCALE
                total += exact * values * HALF + (1 - exact) * codes
    return total


def protected_count(precisions: Precisions, marks: Tensor) -> float:
    """Return the number of tokens that stay exact, on average over prompts with `marks` [n, T]."""
    what = precisions["protected"]
    if what in PROTECT:
        return protected_tokens(marks, what).sum(1).float().mean().item()
    return 1.0  # methods with their own rule protect the start token
