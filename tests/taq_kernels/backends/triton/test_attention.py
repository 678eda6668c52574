"""Test the attention kernel against the reference in torch, and that against float64.

The kernel runs on a GPU where there is one, else in Triton's interpreter. That must be chosen
before Triton is imported, so the kernel's tests then run in a process of their own.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from personalq.taq_kernels.backends.eager.attention import mixed_attention
from personalq.taq_kernels.backends.eager.nibbles import pack_nibbles, unpack_nibbles
from personalq.taq_kernels.backends.quantized_kv import QuantizedKV
from personalq.taq_kernels.quantizers import attention_quantize_dequantize, uniform
from personalq.taq_kernels.quantizers.uniform import uniform_quantize_dequantize
from personalq.tests.taq_kernels.interpreter import DEVICE, HERE, run_in_interpreter

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU here")


def make(
    codes=77,
    full=5,
    heads=2,
    width=40,
    queries=48,
    batch=2,
    prompts=2,
    counts=None,
    kv_bits=8,
    dtype=torch.float32,
    bias=False,
):
    """Queries, keys and values, and the number of heads; padding holds NaN and the largest scales
    and codes. With `bias`, a token in full precision stands for 400, and one in codes for none.
    """
    generator = torch.Generator().manual_seed(0)

    def random(*shape):
        return torch.randn(shape, generator=generator).to(dtype) * 1.5

    code_count, full_count = counts or ([codes, max(codes - 7, 0)], [max(full - 2, 0), full])
    channels = heads * width
    tensors = []
    for _ in range(2):
        coded = uniform.QUANTIZER.quantize(random(prompts, codes, channels), kv_bits)
        q, scale, zero, whole = (
            coded.q,
            coded.scale[..., 0],
            coded.zero[..., 0],
            random(prompts, full, channels),
        )
        for prompt in range(prompts):
            q[prompt, code_count[prompt] :] = 2**kv_bits - 1
            scale[prompt, code_count[prompt] :] = torch.nan
            zero[prompt, code_count[prompt] :] = 0
            whole[prompt, full_count[prompt] :] = torch.nan
        tensors += [pack_nibbles(q) if kv_bits <= 4 else q, scale, zero, whole]
    integers = (code_count[:prompts], full_count[:prompts], [i % prompts for i in range(batch)])
    tensors += [torch.tensor(values, dtype=torch.int32) for values in integers]
    if bias:
        in_codes, in_full = torch.zeros(prompts, codes), torch.zeros(prompts, full)
        in_codes[:, 3], in_full[:, :1] = -torch.inf, torch.tensor(400.0).log()
        tensors += [in_codes, in_full]
    return random(batch, queries, channels), QuantizedKV(kv_bits, *tensors), heads


def run(function, made, q_bits, a_bits, quantizer="uniform"):
    q, kv, heads = made
    return function(q, kv, heads=heads, q_bits=q_bits, a_bits=a_bits, quantizer=quantizer)


def to(made, device):
    q, kv, heads = made
    tensors = (tensor.to(device) for tensor in kv.tensors())
    return q.to(device), QuantizedKV(kv.bits, *tensors), heads


def relative_error(out, expected):
    return ((out.float() - expected.float()).norm() / expected.float().norm()).item()


def in_float64(q, kv, heads):
    """(logits, values, number of codes) for each batch entry and head, from real tokens alone."""
    width = q.shape[-1]
    for number, prompt in enumerate(kv.prompt_index.tolist()):
        codes, full = int(kv.code_count[prompt]), int(kv.full_count[prompt])
        sides = []
        for stored, scale, zero, whole in (
            (kv.k_codes, kv.k_scale, kv.k_zero, kv.k_full),
            (kv.v_codes, kv.v_scale, kv.v_zero, kv.v_full),
        ):
            stored = unpack_nibbles(stored, width) if kv.bits <= 4 else stored
            integers = stored[prompt, :codes].double() - zero[prompt, :codes, None].double()
            decoded = integers * scale[prompt, :codes, None].double()
            sides.append(torch.cat((decoded, whole[prompt, :full].double())))
        for head in range(heads):
            part = slice(head * width // heads, (head + 1) * width // heads)
            query = q[number, :, part]
            yield number, part, query, sides[0][:, part], sides[1][:, part], codes


@pytest.mark.parametrize("kv_bits", [8, 4])
@pytest.mark.parametrize(("q_bits", "a_bits"), [(None, None), (8, 8), (4, 8)])
def test_the_reference_agrees_with_float64(kv_bits, q_bits, a_bits):
    made = make(kv_bits=kv_bits)
    expected = torch.full(made[0].shape, torch.nan, dtype=torch.float64)
    for number, part, query, keys, values, codes in in_float64(*made):
        if q_bits is not None:
            query = uniform_quantize_dequantize(query.contiguous(), q_bits)
        weights = torch.softmax(query.double() @ keys.T / 40**0.5, dim=-1)
        if a_bits is not None:
            quantized = torch.round(
                weights / weights[:, :codes].amax(1, keepdim=True) * (2**a_bits - 1)
            )
            unit = weights[:, :codes].amax(1, keepdim=True) / (2**a_bits - 1)
            weights = torch.cat(((quantized * unit)[:, :codes], weights[:, codes:]), dim=1)
        expected[number, :, part] = weights @ values
    out = run(mixed_attention, made, q_bits, a_bits)
    # A probability between two codes may fall either way in float32: that moves a row by a part of
    # a code's step.
    assert relative_error(out, expected) < (1e-5 if a_bits is None else 1e-3)
    assert torch.isfinite(out).all()


@pytest.mark.parametrize("a_bits", [8, 4])
def test_the_logarithmic_quantizer_takes_its_scale_from_the_code_columns(a_bits):
    made = make()
    expected = torch.full(made[0].shape, torch.nan)
    for number, part, query, keys, values, codes in in_float64(*made):
        weights = torch.softmax(query @ keys.float().T / 40**0.5, dim=-1)
        quantized = attention_quantize_dequantize(weights[:, :codes].contiguous(), a_bits, "log")
        expected[number, :, part] = (
            torch.cat((quantized, weights[:, codes:]), dim=1) @ values.float()
        )
    out = run(mixed_attention, made, None, a_bits, "log")
    assert relative_error(out, expected) < 5e-3
    assert relative_error(run(mixed_attention, made, None, a_bits), out) > 2e-3


def test_tokens_of_other_prompts_and_padding_do_not_matter():
    q, kv, heads = make(prompts=2, batch=2, counts=([70, 77], [5, 3]))
    out = run(mixed_attention, (q, kv, heads), 8, 8)
    changed = {}
    for name in ("k_codes", "k_scale", "k_zero", "v_codes", "v_scale", "v_zero"):
        changed[name] = getattr(kv, name).clone()
        changed[name][1] = 7
        changed[name][0, 70:] = 9
    again = run(mixed_attention, (q, replace(kv, **changed), heads), 8, 8)
    assert torch.equal(again[0], out[0])


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("q", (2, 48, 81), "heads"),
        ("k_codes", (2, 77, 79), "k_codes"),
        ("v_full", (2, 4, 80), "same tokens"),
        ("k_full", (2, 5, 40), "k_full"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(name, shape, message):
    q, kv, heads = make()
    if name == "q":
        q = torch.zeros(shape)
    else:
        kv = replace(kv, **{name: torch.zeros(shape, dtype=getattr(kv, name).dtype)})
    with pytest.raises(ValueError, match=message):
        run(mixed_attention, (q, kv, heads), 8, 8)


def test_a_token_stands_for_several_equal_ones():
    """As if they were all there, and a token that stands for none were not."""
    q, kv, heads = make(full=3, counts=([77, 77], [3, 3]))
    many = replace(kv, full_count=torch.tensor([402, 402], dtype=torch.int32))
    for name in ("k_full", "v_full"):
        whole = getattr(kv, name)
        setattr(many, name, torch.cat((whole[:, :1].expand(-1, 400, -1), whole[:, 1:]), dim=1))
    in_codes, in_full = torch.zeros(2, 77), torch.tensor([[400.0, 1, 1]]).log().expand(2, -1)
    biased = replace(kv, code_bias=in_codes, full_bias=in_full)
    expected = run(mixed_attention, (q, many, heads), 8, 8)
    assert relative_error(run(mixed_attention, (q, biased, heads), 8, 8), expected) < 1e-5
    in_codes[:, 70:] = -torch.inf
    fewer = replace(biased, code_count=torch.tensor([70, 70], dtype=torch.int32))
    torch.testing.assert_close(
        run(mixed_attention, (q, biased, heads), 8, 8),
        run(mixed_attention, (q, fewer, heads), 8, 8),
    )


@pytest.mark.skipif(HERE, reason="the kernel's tests run in this process")
def test_the_kernel_in_the_interpreter():
    run_in_interpreter(__file__)


@pytest.mark.skipif(HERE, reason="the kernel runs in this process")
def test_without_a_gpu_the_kernel_says_why_it_does_not_run():
    triton_attention = pytest.importorskip(
        "personalq.taq_kernels.backends.triton.attention",
        reason="Triton is not installed",
        exc_type=ImportError,
    )
    with pytest.raises(ValueError, match="TRITON_INTERPRET"):
        run(triton_attention.mixed_attention, make(), 8, 8)


class TestKernel:
    """Tests that launch the kernel."""

    __test__ = HERE

    def check(self, made, q_bits, a_bits, quantizer="uniform", *, limit=1e-5, queries_apart=0.0):
        """The relative error is below `limit`, but for a fraction `queries_apart` of them."""
        from personalq.taq_kernels.backends.triton import attention as kernel

        bits = q_bits, a_bits, quantizer
        expected = run(mixed_attention, made, *bits)
        self.poison(expected)
        out = run(kernel.mixed_attention, to(made, DEVICE), *bits).cpu()
        assert out.dtype == expected.dtype
        assert out.shape == expected.shape
        flat = out.float().flatten(0, 1), expected.float().flatten(0, 1)
        error = (flat[0] - flat[1]).norm(dim=1) / flat[1].norm(dim=1)
        apart = error > limit
        assert apart.float().mean() <= queries_apart, f"queries apart by {error[apart]}"
        assert relative_error(out, expected) < (max(limit, 5e-3) if queries_apart else limit)

    def poison(self, like):
        """Leave NaN in the memory that the next tensor of this size is likely to get."""
        torch.full_like(like, torch.nan, device=DEVICE)

    @pytest.mark.parametrize("kv_bits", [8, 4])
    @pytest.mark.parametrize("q_bits", [None, 8, 4])
    def test_exact_probabilities(self, kv_bits, q_bits):
        self.check(make(kv_bits=kv_bits), q_bits, None)

    # A probability between two codes may fall either way in float32: a few rows then differ by a
    # code's step.
    @pytest.mark.parametrize("quantizer", ["uniform", "log"])
    @pytest.mark.parametrize("a_bits", [8, 4])
    @pytest.mark.parametrize("q_bits", [None, 8, 4])
    def test_quantized_probabilities(self, q_bits, a_bits, quantizer):
        self.check(make(), q_bits, a_bits, quantizer, queries_apart=0.1)

    @pytest.mark.parametrize("a_bits", [None, 8])
    @pytest.mark.parametrize("counts", [None, ([77, 70], [5, 5])])
    def test_tokens_that_stand_for_several(self, a_bits, counts):
        self.check(make(bias=True, counts=counts), 8, a_bits, queries_apart=0.1)

    @pytest.mark.parametrize(("q_bits", "a_bits"), [(8, 8), (4, 4)])
    def test_quantized_probabilities_over_packed_rows(self, q_bits, a_bits):
        self.check(make(kv_bits=4), q_bits, a_bits, queries_apart=0.1)

    @pytest.mark.parametrize(("codes", "full"), [(77, 0), (0, 77), (1, 0), (0, 1), (140, 20)])
    def test_one_kind_of_tokens_alone(self, codes, full):
        made = make(codes=codes, full=full, counts=([codes] * 2, [full] * 2))
        self.check(made, 8, 8, queries_apart=0.1)

    def test_a_prompt_in_full_precision_and_a_prompt_in_codes(self):
        self.check(make(counts=([77, 0], [0, 5]), batch=3), 8, 8, queries_apart=0.1)
        self.check(make(counts=([77, 0], [0, 5])), 8, 8, "log", queries_apart=0.1)

    @pytest.mark.parametrize("width", [40, 64, 80, 160, 256])
    def test_head_widths(self, width):
        """Of which some are no power of two, and some are taken a block of channels at a time."""
        self.check(make(width=width, queries=9), 8, None)

    def test_heads_that_cross_the_middle_of_a_packed_row(self):
        self.check(make(heads=3, width=40, kv_bits=4, queries=17), 8, None)
        self.check(make(heads=1, width=5, kv_bits=4, queries=17), None, None)

    def test_one_prompt_for_the_whole_batch(self):
        self.check(make(prompts=1, batch=3), 8, None)

    def test_queries_in_any_memory_order(self):
        q, *rest = make()
        self.check((q.transpose(1, 2).contiguous().transpose(1, 2), *rest), 8, None)

    def test_full_precision_columns_dominate(self):
        """BOS takes nearly all attention: the code columns' probabilities underflow float16, not
        their quantizer.
        """
        q, kv, heads = make(counts=([77, 70], [5, 5]))
        kv.k_full[:, 0] = q.mean(dim=(0, 1)).sign() * 20
        q = q.abs() * kv.k_full[0, 0].sign()
        self.check((q, kv, heads), 8, 8, queries_apart=0.1)

    @pytest.mark.parametrize(
        "dtype", [torch.float16, pytest.param(torch.bfloat16, marks=needs_gpu)]
    )
    def test_16_bit_queries(self, dtype):
        """Products of codes are exact; probabilities and full-precision tokens round to dtype."""
        limit = {torch.float16: 2e-3, torch.bfloat16: 1.5e-2}[dtype]
        self.check(make(dtype=dtype), 8, None, limit=limit)
        self.check(make(dtype=dtype), 8, 8, limit=limit, queries_apart=0.1)

    def test_every_reason_is_given(self):
        from personalq.taq_kernels.backends.triton import attention as kernel

        q, *rest = make(codes=kernel.MAX_TOKENS + 1, heads=1, width=264, queries=1)
        with pytest.raises(ValueError, match=r"float64.*513 tokens in codes.*264 channels"):
            run(kernel.mixed_attention, to((q.double(), *rest), DEVICE), 8, 8)

    def test_full_precision_is_not_lost_silently(self):
        from personalq.taq_kernels.backends.triton.attention import unmet_requirements

        q, kv, heads = make()
        kv.v_full = kv.v_full.half()
        reasons = unmet_requirements(q.half().to(DEVICE), kv, heads=heads, quantizer="uniform")
        assert len(reasons) == 1
        assert "k_full is torch.float32" in reasons[0]
