"""Test stored tokens: values as in fake quantization, protected tokens exact, bytes counted."""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels import StoredTokens
from personalq.taq_kernels.backends.eager.nibbles import pack_nibbles, unpack_nibbles
from personalq.taq_kernels.quantizers.uniform import uniform_quantize_dequantize


@pytest.fixture
def rows() -> torch.Tensor:
    return torch.randn(2, 7, 10, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def protected() -> torch.Tensor:
    mask = torch.zeros(2, 7, dtype=torch.bool)
    mask[0, 2:4] = mask[1, 0] = True
    return mask


@pytest.mark.parametrize("bits", [8, 4, 3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_same_values_as_fake_quantization(rows, protected, bits, dtype):
    rows = rows.to(dtype)
    out = StoredTokens.store(rows, protected, bits).dequantize()
    assert out.dtype == dtype
    assert torch.equal(out[protected], rows[protected])
    assert torch.equal(out[~protected], uniform_quantize_dequantize(rows, bits)[~protected])
    assert not torch.equal(out[~protected], rows[~protected])


@pytest.mark.parametrize(("mask", "bits"), [(True, 4), (False, None), (True, None)])
def test_everything_kept_is_exact(rows, mask, bits):
    protected = torch.full(rows.shape[:2], mask)
    assert torch.equal(StoredTokens.store(rows, protected, bits).dequantize(), rows)


def test_nothing_protected(rows):
    assert torch.equal(
        StoredTokens.store(rows, None, 8).dequantize(), uniform_quantize_dequantize(rows, 8)
    )


def test_bytes_by_hand(rows, protected):
    """Two prompts of 5 + 2 and 6 + 1 rows: both groups are filled up to 6 and 2."""
    kept, scales_and_mask = 2 * 2 * 10 * 4, 2 * 6 * (4 + 1) + 14
    assert StoredTokens.store(rows, protected, 8).nbytes == kept + 12 * 10 + scales_and_mask
    assert StoredTokens.store(rows, protected, 4).nbytes == kept + 12 * 5 + scales_and_mask
    assert StoredTokens.store(rows, protected, None).nbytes == 14 * 10 * 4 + 14


def test_per_tensor_is_one_scale_for_the_unprotected_rows_of_a_prompt(rows, protected):
    rows[0, 2] = 100  # protected: must not stretch the scale of the others
    stored = StoredTokens.store(rows, protected, 8, per_tensor=True)
    assert [len(scales.unique()) for scales in stored.codes.scale] == [1, 1]
    out = stored.dequantize()
    first = rows[0, ~protected[0]]
    wanted = uniform_quantize_dequantize(first.reshape(1, -1), 8).view(first.shape)
    assert torch.equal(out[0, ~protected[0]], wanted)
    assert torch.equal(out[protected], rows[protected])


@pytest.mark.parametrize("length", [1, 2, 7, 64])
def test_nibbles_round_trip(length):
    q = torch.randint(0, 16, (3, length), dtype=torch.uint8)
    packed = pack_nibbles(q)
    assert packed.shape == (3, (length + 1) // 2)
    assert torch.equal(unpack_nibbles(packed, length), q)


@pytest.mark.parametrize("mask", [torch.zeros(2, 6, dtype=torch.bool), torch.zeros(2, 7)])
def test_a_mask_that_does_not_fit_is_refused(rows, mask):
    with pytest.raises(ValueError, match="protected must be bool"):
        StoredTokens.store(rows, mask, 8)


def test_per_tensor_takes_a_prompt_of_protected_rows_alone(rows):
    everything = torch.ones(rows.shape[:2], dtype=torch.bool)
    assert torch.equal(StoredTokens.store(rows, everything, 8, per_tensor=True).dequantize(), rows)
