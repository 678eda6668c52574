"""Test the K/V cache: one projection per prompt, found by content, least recently used out."""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels import PromptKVCache, StoredTokens

WEIGHT = torch.randn(6, 10, generator=torch.Generator().manual_seed(1))


class Projection:
    """Counts its calls and the rows it projected."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def __call__(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.batches.append(rows.shape[0])
        return rows @ WEIGHT, -rows @ WEIGHT


@pytest.fixture
def context() -> torch.Tensor:
    return torch.randn(3, 5, 6, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def protected() -> torch.Tensor:
    mask = torch.zeros(3, 5, dtype=torch.bool)
    mask[:, 0] = True
    return mask


def test_projects_once_for_each_layer(context, protected):
    cache, project = PromptKVCache(8), Projection()
    for _ in range(3):
        prompt = cache.lookup(context.clone(), protected.clone(), "base")
        first = prompt.stored("a", project)
        prompt.stored("b", project)
    assert project.batches == [3, 3]
    assert (cache.hits, cache.misses) == (2, 1)
    assert torch.equal(
        first.k.dequantize(), StoredTokens.store(context @ WEIGHT, protected, 8).dequantize()
    )
    assert torch.equal(
        first.v.dequantize(), StoredTokens.store(-context @ WEIGHT, protected, 8).dequantize()
    )
    assert torch.equal(first.protected, protected)


def test_equal_batch_entries_are_projected_and_stored_once(context, protected):
    cache, project = PromptKVCache(8), Projection()
    order = [0, 1, 0, 1, 1]
    prompt = cache.lookup(context[order], protected[order], "base")
    stored = prompt.stored("a", project)
    assert project.batches == [2]
    assert prompt.first.tolist() == [0, 1]
    k = stored.k.dequantize()[prompt.inverse]
    assert k.shape == (5, 5, 10)
    assert torch.equal(
        k, StoredTokens.store(context[order] @ WEIGHT, protected[order], 8).dequantize()
    )


def test_equal_text_with_another_mask_is_not_equal(context, protected):
    project = Projection()
    mask = protected[:2].clone()
    mask[1, 3] = True
    prompt = PromptKVCache(4).lookup(context[[0, 0]], mask, "base")
    k = prompt.stored("a", project).k.dequantize()[prompt.inverse]
    assert project.batches == [2]
    assert torch.equal(k[1, 3], (context[0] @ WEIGHT)[3])
    assert not torch.equal(k[0, 3], k[1, 3])


def test_a_change_of_text_mask_weights_shape_or_dtype_is_another_prompt(context, protected):
    cache = PromptKVCache(8)
    other, mask = context.clone(), protected.clone()
    other[0, 0, 0] += 1e-3
    mask[0, 1] = True
    kinds = [(context, protected, "base"), (other, protected, "base"), (context, mask, "base")]
    kinds += [
        (context, protected, "lora"),
        (context[:2], protected[:2], "base"),
        (context.half(), protected, "base"),
    ]
    for kind in kinds:
        cache.lookup(*kind)
    assert (cache.hits, cache.misses) == (0, 6)
    for kind in kinds:
        cache.lookup(*kind)
    assert (cache.hits, cache.misses) == (6, 6)


def test_memory_that_the_host_uses_again_is_not_mistaken(context, protected):
    cache, project = PromptKVCache(None), Projection()
    cache.lookup(context, protected, "base").stored("a", project)
    context.mul_(2)
    k = cache.lookup(context, protected, "base").stored("a", project).k.dequantize()
    torch.testing.assert_close(k, context @ WEIGHT)


def test_least_recently_used_goes_first(context, protected):
    cache = PromptKVCache(8, capacity=2)
    for key in ("a", "b", "a", "c"):
        cache.lookup(context, protected, key)
    assert len(cache) == 2
    cache.lookup(context, protected, "a")
    assert cache.hits == 2
    cache.lookup(context, protected, "b")
    assert cache.misses == 4


def test_bytes_by_hand(context, protected):
    cache = PromptKVCache(8)
    cache.lookup(context, protected, "base").stored("a", Projection())
    rows = 3 * 10 * 4 + 12 * (10 + 4 + 1) + 15  # kept rows, codes with scale and zero point, mask
    assert cache.nbytes == 2 * rows + context.nbytes + protected.nbytes + 3 * 8


def test_a_cache_of_nothing_is_refused():
    with pytest.raises(ValueError, match="capacity"):
        PromptKVCache(8, capacity=0)


def test_a_layer_may_choose_rows_of_its_own(context, protected):
    prompt = PromptKVCache(4).lookup(context, protected, "base")
    last = torch.zeros_like(protected)
    last[:, 4] = True
    chosen = prompt.stored("a", Projection(), lambda k, v: last)
    assert torch.equal(chosen.protected, last)
    assert torch.equal(chosen.k.dequantize()[:, 4], (context @ WEIGHT)[:, 4])
    assert torch.equal(prompt.stored("b", Projection()).protected, protected)
