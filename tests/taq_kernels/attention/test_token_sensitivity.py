"""Test which tokens a layer is most sensitive to.

The reference is the change of its output when one token at a time is quantized.
"""

from __future__ import annotations

import torch

from personalq.taq_kernels import AttentionSpec, cross_attention
from personalq.taq_kernels.attention.token_sensitivity import (
    most_sensitive_tokens,
    token_sensitivity,
)

SPEC = AttentionSpec(kv_bits=4)


def tensors() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, length, 32, generator=generator) for length in (64, 10, 10))
    v[:, 3] *= 6  # a row of large values
    k[0, 7] += q[0].mean(0) * 8  # a row that is looked at
    return q, k, v


def test_the_formula_predicts_the_measured_change():
    q, k, v = tensors()
    exact = cross_attention(q, k, v, 4, None, AttentionSpec())
    real = torch.zeros(2, 10)
    for row in range(10):
        others = torch.ones(2, 10, dtype=torch.bool)
        others[:, row] = False
        change = cross_attention(q, k, v, 4, others, SPEC) - exact
        real[:, row] = change.unflatten(-1, (4, -1)).square().sum(-1).mean(dim=(1, 2))
    predicted = token_sensitivity(q, k, v, 4, SPEC)
    assert (
        torch.corrcoef(torch.stack((predicted.log().flatten(), real.log().flatten())))[0, 1] > 0.98
    )
    assert torch.equal(predicted.argmax(1), real.argmax(1))


def test_unquantized_rows_are_not_felt():
    assert token_sensitivity(*tensors(), 4, AttentionSpec()).max() == 0


def test_each_entry_keeps_its_own_number_of_rows():
    sensitivity = torch.tensor([[0.1, 0.5, 0.3], [0.9, 0.2, 0.4]])
    chosen = most_sensitive_tokens(sensitivity, torch.tensor([1, 2]))
    assert chosen.tolist() == [[False, True, False], [True, False, True]]
