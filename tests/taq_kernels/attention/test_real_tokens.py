"""Test that a text without its padding gives what the whole text gives."""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels import AttentionSpec, PromptKVCache, attend, cross_attention
from personalq.taq_kernels.attention.cross_attention import attend_stored, quantized_kv
from personalq.taq_kernels.attention.real_tokens import real_tokens
from personalq.taq_kernels.backends import operators

LENGTH, WIDTH, HEADS = 60, 16, 2


@pytest.fixture
def text() -> torch.Tensor:
    """Texts of 5 and of 9 tokens, padded."""
    made = torch.randn(2, LENGTH, WIDTH, generator=torch.Generator().manual_seed(0))
    padding = torch.randn(WIDTH, generator=torch.Generator().manual_seed(1))
    made[0, 5:] = made[1, 9:] = padding
    return made


@pytest.fixture
def q() -> torch.Tensor:
    return torch.randn(2, 7, WIDTH, generator=torch.Generator().manual_seed(2))


def project(text):
    weight = torch.randn(2, WIDTH, WIDTH, generator=torch.Generator().manual_seed(3))
    return text @ weight[0], text @ weight[1]


def stored(text, kv_bits, protected=None):
    real = real_tokens(text)
    prompt = PromptKVCache(kv_bits).lookup(real.context, protected, "weights", real.counts)
    return prompt, prompt.stored("layer", project)


def test_the_padding_is_one_token_and_comes_first(text):
    real = real_tokens(text)
    assert real.context.shape == (2, 10, WIDTH)
    assert real.counts.tolist() == [[55, *[1] * 5, 0, 0, 0, 0], [51, *[1] * 9]]
    assert torch.equal(real.context[:, 0], text[:, -1])
    assert torch.equal(real.context[1, 1:], text[1, :9])
    whole = real.context.gather(1, real.places[..., None].expand(-1, -1, WIDTH))
    assert torch.equal(whole, text)


def test_marks_follow_their_tokens_and_none_is_made_up(text):
    marks = torch.zeros(2, LENGTH)
    marks[0, 3], marks[1, 8], marks[0, -1] = 1, -1, 1
    found = real_tokens(text).of(marks)
    assert found.nonzero().tolist() == [[0, 0], [0, 4], [1, 9]]


def test_a_text_without_padding_keeps_all_its_tokens(text):
    real = real_tokens(text[:, :4])
    assert real.context.shape[1] == 4
    assert (real.counts == 1).all()


def test_unquantized_attention_is_that_over_the_whole_text(text, q):
    prompt, layer = stored(text, None)
    out = attend_stored(q, layer, prompt.inverse, HEADS, AttentionSpec())
    expected = attend(q, *project(text), HEADS, None, AttentionSpec())
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-4)


def test_quantized_attention_is_that_over_the_whole_text_with_exact_padding(text, q):
    real = real_tokens(text)
    protected = torch.zeros(real.counts.shape, dtype=torch.bool)
    protected[:, 0] = protected[0, 2] = True
    spec = AttentionSpec(8, 4, 8)
    prompt, layer = stored(text, 4, protected)
    whole = protected.gather(1, real.places)
    expected = cross_attention(q, *project(text), HEADS, whole, spec)
    out = attend_stored(q, layer, prompt.inverse, HEADS, spec)
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-4)
    kv = quantized_kv(layer, prompt.inverse, q.dtype)
    kernel = operators.mixed_attention(q, kv, heads=HEADS, q_bits=8, a_bits=8, quantizer="uniform")
    torch.testing.assert_close(kernel, expected, atol=1e-5, rtol=1e-4)


def test_a_text_that_differs_only_in_its_padding_is_another_prompt(text):
    cache = PromptKVCache(8)
    longer = torch.cat((text, text[:, -1:]), dim=1)
    for one in (text, text, longer):
        real = real_tokens(one)
        cache.lookup(real.context, None, "weights", real.counts)
    assert (cache.hits, cache.misses) == (1, 2)
