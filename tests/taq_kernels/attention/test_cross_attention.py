"""Test the four equations of masked quantized attention against a literal computation."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from personalq.taq_kernels import AttentionSpec, StoredTokens, attend, cross_attention
from personalq.taq_kernels.attention import cross_attention as cross_attention_module
from personalq.taq_kernels.attention.cross_attention import attend_stored, quantized_kv
from personalq.taq_kernels.attention.kv_cache import LayerKV
from personalq.taq_kernels.backends import operators, registry
from personalq.taq_kernels.backends.registry import TORCH_ATTENTION, TRITON_ATTENTION
from personalq.taq_kernels.quantizers.uniform import uniform_quantize_dequantize

HEADS = 4


@pytest.fixture
def qkv() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return tuple(torch.randn(2, length, 32, generator=generator) for length in (9, 12, 12))


@pytest.fixture
def protected() -> torch.Tensor:
    mask = torch.zeros(2, 12, dtype=torch.bool)
    mask[:, 0] = mask[0, 4:6] = True
    return mask


def split(x):
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def sdpa(q, k, v):
    return (
        functional.scaled_dot_product_attention(split(q), split(k), split(v))
        .transpose(1, 2)
        .flatten(2)
    )


def literal(q, k, v, protected, q_bits, kv_bits, a_bits):
    """Row by row and column by column, as the paper writes it."""
    keep = protected[..., None].float()
    k = keep * k + (1 - keep) * uniform_quantize_dequantize(k, kv_bits)
    v = keep * v + (1 - keep) * uniform_quantize_dequantize(v, kv_bits)
    q, k, v = uniform_quantize_dequantize(split(q), q_bits), split(k), split(v)
    weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)
    quantized = weights.clone()
    for entry in range(weights.shape[0]):
        columns = ~protected[entry]
        for head in range(HEADS):
            for row in range(weights.shape[2]):
                values = weights[entry, head, row, columns]
                scale = values.max() / (2**a_bits - 1)
                quantized[entry, head, row, columns] = (values / scale).round() * scale
    return (quantized @ v).transpose(1, 2).flatten(2)


@pytest.mark.parametrize(("q_bits", "kv_bits", "a_bits"), [(8, 8, 8), (4, 4, 4), (8, 4, 3)])
def test_the_equations(qkv, protected, q_bits, kv_bits, a_bits):
    out = cross_attention(*qkv, HEADS, protected, AttentionSpec(q_bits, kv_bits, a_bits))
    torch.testing.assert_close(
        out, literal(*qkv, protected, q_bits, kv_bits, a_bits), atol=1e-5, rtol=1e-4
    )


@pytest.mark.parametrize("mask", [None, torch.zeros(2, 12, dtype=torch.bool)])
def test_no_bits_is_ordinary_attention(qkv, mask):
    torch.testing.assert_close(
        cross_attention(*qkv, HEADS, mask, AttentionSpec()), sdpa(*qkv), atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize("quantizer", ["uniform", "log"])
def test_all_protected_and_full_query_is_ordinary_attention(qkv, quantizer):
    everything = torch.ones(2, 12, dtype=torch.bool)
    out = cross_attention(*qkv, HEADS, everything, AttentionSpec(None, 4, 4, quantizer))
    torch.testing.assert_close(out, sdpa(*qkv), atol=1e-5, rtol=1e-5)


def test_stored_rows_give_the_same_as_one_call(qkv, protected):
    q, k, v = qkv
    spec = AttentionSpec(8, 4, 8)
    rows = (StoredTokens.store(x, protected, spec.kv_bits).dequantize() for x in (k, v))
    assert torch.equal(
        attend(q, *rows, HEADS, protected, spec), cross_attention(q, k, v, HEADS, protected, spec)
    )


def test_protected_columns_do_not_set_the_scale():
    """A protected row that takes nearly all attention leaves the codes to the others."""
    q = torch.ones(1, 1, 4)
    k = torch.tensor([[[9.0] * 4, [1.0] * 4, [0.9] * 4]])
    v = torch.tensor([[[0.0] * 4, [1000.0] * 4, [1000.0] * 4]])
    bos = torch.tensor([[True, False, False]])
    spec = AttentionSpec(None, None, 4)
    exact = sdpa_one_head(q, k, v)
    error = {
        name: (cross_attention(q, k, v, 1, m, spec) - exact).norm()
        for name, m in (("bos", bos), ("none", None))
    }
    assert error["bos"] < 0.05 * error["none"]


def sdpa_one_head(q, k, v):
    return functional.scaled_dot_product_attention(q, k, v)


def test_protecting_a_row_lowers_the_error(qkv, protected):
    spec = AttentionSpec(None, 3, 3)
    exact = sdpa(*qkv)
    errors = [
        (cross_attention(*qkv, HEADS, mask, spec) - exact).norm() for mask in (protected, None)
    ]
    assert errors[0] < errors[1]


def test_half_precision_in_and_out(qkv, protected):
    halves = [x.half() for x in qkv]
    out = cross_attention(*halves, HEADS, protected, AttentionSpec(8, 8, 8))
    assert out.dtype == torch.float16
    torch.testing.assert_close(out.float(), sdpa(*qkv), atol=0.05, rtol=0.05)


@pytest.mark.parametrize(
    ("q", "k", "v", "heads", "match"),
    [
        ((2, 9, 32), (2, 12, 32), (2, 11, 32), 4, r"must be \[B, N"),
        ((9, 32), (2, 12, 32), (2, 12, 32), 4, r"must be \[B, N"),
        ((1, 9, 32), (2, 12, 32), (2, 12, 32), 4, "batch size or width"),
        ((2, 9, 16), (2, 12, 32), (2, 12, 32), 4, "batch size or width"),
        ((2, 9, 32), (2, 12, 32), (2, 12, 32), 5, "5 heads"),
        ((2, 9, 32), (2, 12, 32), (2, 12, 32), 0, "0 heads"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(q, k, v, heads, match):
    with pytest.raises(ValueError, match=match):
        cross_attention(
            torch.zeros(q), torch.zeros(k), torch.zeros(v), heads, None, AttentionSpec()
        )


@pytest.mark.parametrize("bits", [8, 4])
def test_the_operator_gets_the_stored_rows_right(qkv, protected, bits):
    """Its reference, which reads two groups of tokens, against the dequantized ones."""
    q, k, v = qkv
    spec = AttentionSpec(q_bits=8, kv_bits=bits, a_bits=8)
    stored = [StoredTokens.store(x, protected, bits) for x in (k, v)]
    layer, prompt_index = LayerKV(*stored, protected), torch.tensor([1, 0])
    dequantized = attend_stored(q, layer, prompt_index, HEADS, spec)
    kv = quantized_kv(layer, prompt_index, q.dtype)
    out = operators.mixed_attention(q, kv, heads=HEADS, q_bits=8, a_bits=8, quantizer="uniform")
    torch.testing.assert_close(out, dequantized, atol=1e-5, rtol=1e-4)


def test_which_backend_runs_and_why():
    at = registry.machine("cuda")
    assert registry.attention(registry.machine("cpu"), 8, False) == (
        TORCH_ATTENTION,
        "cpu is not a CUDA device",
    )
    assert registry.attention(at, None, False).name == TORCH_ATTENTION
    assert "whole tensor" in registry.attention(at, 8, True).why


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU here")
def test_the_kernel_runs_on_a_gpu():
    assert registry.attention(registry.machine("cuda"), 8, False).name == TRITON_ATTENTION


def test_stored_rows_and_attention_compile_into_one_graph(qkv, protected):
    q, k, v = qkv
    spec = AttentionSpec(q_bits=8, kv_bits=4, a_bits=8)
    layer = LayerKV(*(StoredTokens.store(x, protected, 4) for x in (k, v)), protected)
    prompt_index = torch.tensor([0, 1])
    compiled = torch.compile(attend_stored, fullgraph=True, backend="aot_eager")
    expected = attend_stored(q, layer, prompt_index, HEADS, spec)
    torch.testing.assert_close(compiled(q, layer, prompt_index, HEADS, spec), expected)


def test_many_queries_take_little_memory_at_a_time(monkeypatch):
    """A video has 75,000: their attention weights in float32 would take gigabytes."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, length, 32, generator=generator) for length in (20_000, 128, 128))
    spec, sizes = AttentionSpec(8, 8, 8), []
    weights = cross_attention_module.attention_weights

    def watched(queries, keys, bias):
        made = weights(queries, keys, bias)
        sizes.append(made.numel())
        return made

    monkeypatch.setattr(cross_attention_module, "attention_weights", watched)
    whole = attend(q, k, v, HEADS, None, spec)
    assert max(sizes) <= 2**22
    for first in (0, 19_990):
        few = slice(first, first + 10)
        torch.testing.assert_close(whole[:, few], attend(q[:, few], k, v, HEADS, None, spec))
