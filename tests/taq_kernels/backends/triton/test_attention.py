"""The attention kernel against the reference in torch, and the reference against float64.

The kernel runs on a GPU where there is one, else in Triton's interpreter. That must be chosen
before Triton is imported, so the kernel's tests then run in a process of their own.
"""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels.backends.eager.attention import mixed_rows_attention_reference
from personalq.taq_kernels.backends.eager.nibbles import pack_nibbles, unpack_nibbles
from personalq.taq_kernels.quantizers import attention_quantize_dequantize, uniform
from personalq.taq_kernels.quantizers.uniform import uniform_quantize_dequantize
from personalq.tests.taq_kernels.interpreter import DEVICE, HERE, run_in_interpreter

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU here")


def make(
    rows=77,
    kept=5,
    heads=2,
    width=40,
    queries=48,
    batch=2,
    prompts=2,
    counts=None,
    kv_bits=8,
    dtype=torch.float32,
):
    """The tensors of the signature, up to `kv_bits`; padding rows hold NaN and the largest scales
    and codes.
    """
    generator = torch.Generator().manual_seed(0)

    def random(*shape):
        return torch.randn(shape, generator=generator).to(dtype) * 1.5

    code_count, kept_count = counts or ([rows, max(rows - 7, 0)], [max(kept - 2, 0), kept])
    channels = heads * width
    tensors = []
    for _ in range(2):
        codes = uniform.QUANTIZER.quantize(random(prompts, rows, channels), kv_bits)
        q, scale, zero, whole = (
            codes.q,
            codes.scale[..., 0],
            codes.zero[..., 0],
            random(prompts, kept, channels),
        )
        for prompt in range(prompts):
            q[prompt, code_count[prompt] :] = 2**kv_bits - 1
            scale[prompt, code_count[prompt] :] = torch.nan
            zero[prompt, code_count[prompt] :] = 0
            whole[prompt, kept_count[prompt] :] = torch.nan
        tensors += [pack_nibbles(q) if kv_bits <= 4 else q, scale, zero, whole]
    integers = (code_count[:prompts], kept_count[:prompts], [i % prompts for i in range(batch)])
    tensors += [torch.tensor(values, dtype=torch.int32) for values in integers]
    return (random(batch, queries, channels), *tensors, heads, kv_bits)


def to(arguments, device):
    return tuple(x.to(device) if isinstance(x, torch.Tensor) else x for x in arguments)


def relative_error(out, expected):
    return ((out.float() - expected.float()).norm() / expected.float().norm()).item()


def in_float64(
    q,
    k_codes,
    k_scale,
    k_zero,
    k_kept,
    v_codes,
    v_scale,
    v_zero,
    v_kept,
    code_count,
    kept_count,
    entry,
    heads,
    kv_bits,
):
    """(logits, values, rows of codes) for each batch entry and head, from real rows alone."""
    width = q.shape[-1]
    for number, prompt in enumerate(entry.tolist()):
        codes, kept = int(code_count[prompt]), int(kept_count[prompt])
        sides = []
        for stored, scale, zero, whole in (
            (k_codes, k_scale, k_zero, k_kept),
            (v_codes, v_scale, v_zero, v_kept),
        ):
            stored = unpack_nibbles(stored, width) if kv_bits <= 4 else stored
            integers = stored[prompt, :codes].double() - zero[prompt, :codes, None].double()
            decoded = integers * scale[prompt, :codes, None].double()
            sides.append(torch.cat((decoded, whole[prompt, :kept].double())))
        for head in range(heads):
            part = slice(head * width // heads, (head + 1) * width // heads)
            query = q[number, :, part]
            yield number, part, query, sides[0][:, part], sides[1][:, part], codes


@pytest.mark.parametrize("kv_bits", [8, 4])
@pytest.mark.parametrize(("q_bits", "a_bits"), [(None, None), (8, 8), (4, 8)])
def test_the_reference_agrees_with_float64(kv_bits, q_bits, a_bits):
    arguments = make(kv_bits=kv_bits)
    expected = torch.full(arguments[0].shape, torch.nan, dtype=torch.float64)
    for number, part, query, keys, values, codes in in_float64(*arguments):
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
    out = mixed_rows_attention_reference(*arguments, q_bits, a_bits, False)
    # A probability between two codes may fall either way in float32: that moves a row by a part of
    # a code's step.
    assert relative_error(out, expected) < (1e-5 if a_bits is None else 1e-3)
    assert torch.isfinite(out).all()


@pytest.mark.parametrize("a_bits", [8, 4])
def test_the_logarithmic_quantizer_takes_its_scale_from_the_code_columns(a_bits):
    arguments = make()
    expected = torch.full(arguments[0].shape, torch.nan)
    for number, part, query, keys, values, codes in in_float64(*arguments):
        weights = torch.softmax(query @ keys.float().T / 40**0.5, dim=-1)
        quantized = attention_quantize_dequantize(weights[:, :codes].contiguous(), a_bits, "log")
        expected[number, :, part] = (
            torch.cat((quantized, weights[:, codes:]), dim=1) @ values.float()
        )
    out = mixed_rows_attention_reference(*arguments, None, a_bits, True)
    assert relative_error(out, expected) < 5e-3
    assert (
        relative_error(mixed_rows_attention_reference(*arguments, None, a_bits, False), out) > 2e-3
    )


def test_rows_of_other_prompts_and_padding_do_not_matter():
    arguments = list(make(prompts=2, batch=2, counts=([70, 77], [5, 3])))
    out = mixed_rows_attention_reference(*arguments, 8, 8, False)
    for index in (1, 2, 3, 5, 6, 7):
        arguments[index] = arguments[index].clone()
        arguments[index][1] = 7
        arguments[index][0, 70:] = 9
    assert torch.equal(mixed_rows_attention_reference(*arguments, 8, 8, False)[0], out[0])


@pytest.mark.parametrize(
    ("index", "shape", "message"),
    [
        (0, (2, 48, 81), "heads"),
        (1, (2, 77, 79), "k_codes"),
        (8, (2, 4, 80), "same rows"),
        (4, (2, 5, 40), "k_kept"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(index, shape, message):
    arguments = list(make())
    arguments[index] = torch.zeros(shape, dtype=arguments[index].dtype)
    with pytest.raises(ValueError, match=message):
        mixed_rows_attention_reference(*arguments, 8, 8, False)


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
        triton_attention.mixed_rows_attention(*make(), 8, 8, False)


class TestKernel:
    """Tests that launch the kernel."""

    __test__ = HERE

    def check(self, arguments, limit=1e-5, rows_apart=0.0):
        """The relative error is below `limit`, but for a fraction `rows_apart` of the rows."""
        from personalq.taq_kernels.backends.triton.attention import mixed_rows_attention

        expected = mixed_rows_attention_reference(*arguments)
        self.poison(expected)
        out = mixed_rows_attention(*to(arguments, DEVICE)).cpu()
        assert out.dtype == expected.dtype
        assert out.shape == expected.shape
        rows = out.float().flatten(0, 1), expected.float().flatten(0, 1)
        error = (rows[0] - rows[1]).norm(dim=1) / rows[1].norm(dim=1)
        apart = error > limit
        assert apart.float().mean() <= rows_apart, f"rows apart by {error[apart]}"
        assert relative_error(out, expected) < (max(limit, 5e-3) if rows_apart else limit)

    def poison(self, like):
        """Leave NaN in the memory that the next tensor of this size is likely to get."""
        torch.full_like(like, torch.nan, device=DEVICE)

    @pytest.mark.parametrize("kv_bits", [8, 4])
    @pytest.mark.parametrize("q_bits", [None, 8, 4])
    def test_exact_probabilities(self, kv_bits, q_bits):
        self.check((*make(kv_bits=kv_bits), q_bits, None, False))

    # A probability between two codes may fall either way in float32: a few rows then differ by a
    # code's step.
    @pytest.mark.parametrize("log_quantizer", [False, True], ids=["uniform", "log"])
    @pytest.mark.parametrize("a_bits", [8, 4])
    @pytest.mark.parametrize("q_bits", [None, 8, 4])
    def test_quantized_probabilities(self, q_bits, a_bits, log_quantizer):
        self.check((*make(), q_bits, a_bits, log_quantizer), rows_apart=0.1)

    @pytest.mark.parametrize(("q_bits", "a_bits"), [(8, 8), (4, 4)])
    def test_quantized_probabilities_over_packed_rows(self, q_bits, a_bits):
        self.check((*make(kv_bits=4), q_bits, a_bits, False), rows_apart=0.1)

    @pytest.mark.parametrize(("rows", "kept"), [(77, 0), (0, 77), (1, 0), (0, 1), (140, 20)])
    def test_one_kind_of_rows_alone(self, rows, kept):
        self.check(
            (*make(rows=rows, kept=kept, counts=([rows] * 2, [kept] * 2)), 8, 8, False),
            rows_apart=0.1,
        )

    def test_a_prompt_of_kept_rows_beside_a_prompt_of_codes(self):
        self.check((*make(counts=([77, 0], [0, 5]), batch=3), 8, 8, False), rows_apart=0.1)
        self.check((*make(counts=([77, 0], [0, 5])), 8, 8, True), rows_apart=0.1)

    @pytest.mark.parametrize("width", [40, 64, 80, 160, 256])
    def test_head_widths(self, width):
        """Of which some are no power of two, and some are taken a block of channels at a time."""
        self.check((*make(width=width, queries=9), 8, None, False))

    def test_heads_that_cross_the_middle_of_a_packed_row(self):
        self.check((*make(heads=3, width=40, kv_bits=4, queries=17), 8, None, False))
        self.check((*make(heads=1, width=5, kv_bits=4, queries=17), None, None, False))

    def test_one_prompt_for_the_whole_batch(self):
        self.check((*make(prompts=1, batch=3), 8, None, False))

    def test_queries_in_any_memory_order(self):
        q, *rest = make()
        self.check((q.transpose(1, 2).contiguous().transpose(1, 2), *rest, 8, None, False))

    def test_kept_columns_dominate(self):
        """BOS takes nearly all attention: the code columns' probabilities underflow float16, not
        their quantizer.
        """
        arguments = list(make(counts=([77, 70], [5, 5])))
        arguments[4][:, 0] = arguments[0].mean(dim=(0, 1)).sign() * 20
        arguments[0] = arguments[0].abs() * arguments[4][0, 0].sign()
        self.check((*arguments, 8, 8, False), rows_apart=0.1)

    @pytest.mark.parametrize(
        "dtype", [torch.float16, pytest.param(torch.bfloat16, marks=needs_gpu)]
    )
    def test_16_bit_queries(self, dtype):
        """Products of codes are exact; probabilities and kept rows round to the dtype."""
        limit = {torch.float16: 2e-3, torch.bfloat16: 1.5e-2}[dtype]
        self.check((*make(dtype=dtype), 8, None, False), limit)
        self.check((*make(dtype=dtype), 8, 8, False), limit, rows_apart=0.1)

    def test_every_reason_is_given(self):
        from personalq.taq_kernels.backends.triton.attention import MAX_ROWS, mixed_rows_attention

        arguments = make(rows=MAX_ROWS + 1, heads=1, width=264, queries=1, dtype=torch.float32)
        arguments = (arguments[0].double(), *arguments[1:], 8, 8, False)
        with pytest.raises(ValueError, match=r"float64.*513 rows of codes.*264 channels"):
            mixed_rows_attention(*to(arguments, DEVICE))

    def test_kept_rows_do_not_lose_precision_silently(self):
        from personalq.taq_kernels.backends.triton.attention import constraints

        q, k_codes, k_kept = make()[0].half(), make()[1], make()[4]
        reasons = constraints(q.to(DEVICE), k_codes, k_kept, k_kept.half(), 2)
        assert len(reasons) == 1
        assert "k_kept is torch.float32" in reasons[0]
