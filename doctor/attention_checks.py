"""Compares cross-attention over stored keys and values with its definition in float64."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from ..taq_kernels import AttentionSpec, StoredTokens
from ..taq_kernels.attention.cross_attention import attend_stored
from ..taq_kernels.attention.kv_cache import LayerKV
from ..taq_kernels.backends import registry
from ..taq_kernels.quantizers.uniform import uniform_quantize_dequantize
from . import shapes
from .operations import On, relative_error, sample, times
from .rows import Check
from .timing import first_call

SPECS = {
    "all rows exact": AttentionSpec(),
    "8-bit rows": AttentionSpec(q_bits=8, kv_bits=8, a_bits=8),
    "4-bit rows": AttentionSpec(q_bits=8, kv_bits=4, a_bits=8),
}
BOUND = {torch.float32: 1e-3, torch.float16: 5e-3}
"""Bounds as in tests/taq_kernels; a probability between two codes may be rounded either way."""
_PROTECTED = (0, 5, 6, 7)
"""Tokens of a prompt that stay in full precision when the others are quantized."""


def checks(device: torch.device, work: float) -> list[Check]:
    """All checks of attention that need at most `work` multiplications."""
    on = On.of(device)
    return [
        Check(f"attention, {name}", str(shape), partial(attention, shape, spec, on))
        for shape in shapes.ATTENTION
        if shape.work <= work
        for name, spec in SPECS.items()
    ]


def attention(shape: shapes.AttentionShape, spec: AttentionSpec, on: On) -> dict[str, Any]:
    """Values for `rows.Row`: error and times of attention with random tensors."""
    channels = shape.heads * shape.width
    q, k, v = (
        on.random(shape.batch, count, channels)
        for count in (shape.queries, shape.tokens, shape.tokens)
    )
    protected = torch.zeros(shape.batch, shape.tokens, dtype=torch.bool, device=on.device)
    protected[:, _PROTECTED] = True
    k_stored, v_stored = (StoredTokens.store(x, protected, spec.kv_bits) for x in (k, v))
    layer = LayerKV(k_stored, v_stored, protected)
    prompt_index = torch.arange(shape.batch, device=on.device)
    at = registry.machine(on.device)
    runs_on = registry.attention(at, spec.kv_bits, spec.per_tensor, spec.quantizer, shape.tokens)
    run = partial(attend_stored, q, layer, prompt_index, shape.heads, spec)
    out, seconds = first_call(run, on.device)
    samples = sample(shape.queries)
    expected = in_float64(q[:, samples].cpu(), layer, shape.heads, spec)
    heads = [x.unflatten(-1, (shape.heads, shape.width)).transpose(1, 2) for x in (q, k, v)]
    found = {
        "backend": runs_on.name,
        "error": relative_error(out[:, samples], expected, out),
        "bound": BOUND[on.dtype],
        "first_seconds": seconds,
    }
    return found | times(run, partial(functional.scaled_dot_product_attention, *heads), on.device)


def in_float64(q: Tensor, layer: LayerKV, heads: int, spec: AttentionSpec) -> Tensor:
    """Attention of queries q [B, N, C] over the stored keys and values: float64 [B, N, C] on the
    CPU.

    The scale of a query's quantized probabilities is the largest of them divided by the highest
    code.
    """
    queries = _heads(q.float(), heads).contiguous()
    if spec.q_bits is not None:
        queries = uniform_quantize_dequantize(queries, spec.q_bits)
    keys, values = (_heads(x.dequantize().cpu().double(), heads) for x in (layer.k, layer.v))
    logits = queries.double() @ keys.transpose(-1, -2) * queries.shape[-1] ** -0.5
    weights = logits.softmax(-1)
    if spec.a_bits is not None:
        columns = layer.protected.cpu()[:, None, None, :]
        step = weights.masked_fill(columns, 0).amax(-1, keepdim=True) / (2**spec.a_bits - 1)
        weights = torch.where(columns, weights, (weights / step).round() * step)
    return (weights @ values).transpose(1, 2).flatten(2)


def _heads(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)
