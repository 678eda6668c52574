"""Test device memory of a quantized model apart from its weights.

It is bounded, counted, and freed when ComfyUI unloads.
"""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.model_management
import comfy.sd
import comfy.utils

from personalq.nodes.host.taq.device_copies import DeviceCopies
from personalq.nodes.host.taq.side_memory import SideMemory, side_memory
from personalq.nodes.host.taq.text_projections import TextProjections
from personalq.taq_kernels import AttentionSpec, PromptKVCache
from personalq.tests.host.sampling import encode, quantized, sample
from personalq.tests.host.taq.test_model import with_lora


class Held:
    """A cache of `count` things of `size` bytes each, the last of which is in use."""

    def __init__(self, count: int, size: int):
        self.count, self.size = count, size

    @property
    def nbytes(self) -> int:
        return self.count * self.size

    def evict(self) -> bool:
        self.count -= self.count > 1
        return self.count > 1

    def clear(self) -> None:
        self.count = 0


def test_those_used_longest_ago_shrink_first():
    side = SideMemory(100)
    first, second, third = Held(5, 10), Held(3, 10), Held(4, 10)
    for held in (first, second, third):
        side.use(held)
    assert (first.count, second.count, third.count) == (3, 3, 4)
    side.use(first)
    first.count = 6
    side.use(first)
    assert (first.count, second.count, third.count) == (6, 1, 3)
    assert side.nbytes == 100
    side.clear()
    assert side.nbytes == 0


def test_what_nobody_uses_any_more_is_not_held():
    side = SideMemory()
    held = Held(5, 10)
    side.use(held)
    assert side.nbytes == 50
    del held
    assert side.nbytes == 0


def test_every_cache_stays_within_the_budget():
    side = SideMemory(300_000)
    cache, texts = PromptKVCache(8), TextProjections(side)
    for number in range(20):
        text = torch.full((2, 77, 64), float(number))
        texts.get("layer", (), text + 0.5, lambda rows: rows * 2)
        side.use(cache)
        cache.lookup(text, None, "weights").stored("layer", lambda rows: (rows, rows))
    one = 2 * 77 * 64 * 4
    assert len(cache) > 1
    assert side.nbytes <= 300_000 + 4 * one


def test_a_cycle_of_many_texts_is_projected_once():
    texts, projected = TextProjections(SideMemory()), []
    for number in [*range(20)] * 3:
        text = torch.full((2, 77, 64), float(number))
        texts.get("layer", (), text, lambda rows: projected.append(1) or rows)
    assert len(projected) == 20


def test_a_text_projected_by_ever_other_weights_stays_within_the_budget():
    """A LoRA whose strength follows the steps is other patches in each."""
    one = 2 * 77 * 64 * 4
    side = SideMemory(10 * one)
    texts = TextProjections(side)
    for number in range(60):
        text, patches = torch.full((2, 77, 64), float(number % 3)), (object(), object())
        made = torch.full_like(text, float(number))
        for project in (made.add, None):
            assert torch.equal(texts.get("layer", patches, text, project), text + number)
        assert side.nbytes <= 10 * one


def test_one_copy_of_an_adapter_serves_all_states(lora):
    from comfy.weight_adapter import LoRAAdapter

    down, up = torch.randn(4, 8), torch.randn(8, 4)
    adapter = LoRAAdapter(set(), (up, down, 4.0, None, None, None))
    copies = DeviceCopies()
    first = copies.get((adapter,), torch.device("cpu"), torch.float64)
    assert copies.get((adapter,), torch.device("cpu"), torch.float64)[0] is first[0]
    assert copies.nbytes == 2 * 4 * 8 * 8
    assert not copies.evict(), "it is in use"
    for _ in range(4):
        copies.begin()
    assert copies.evict()
    assert copies.nbytes == 0


@pytest.fixture
def prompts(base):
    return encode(base[1], "a photo of a bear"), encode(base[1], "blurry")


def test_the_host_is_told_of_it(model, lora, prompts):
    out = quantized(model, protect="none", spec=AttentionSpec(kv_bits=8))
    side_memory(out.model).clear()
    weights, loaded = out.model_size(), out.loaded_size()
    sample(out, *prompts)
    held = side_memory(out.model).nbytes
    assert held > 4 * 2 * 77 * 320
    assert out.model_size() == weights + held
    assert out.clone().model_size() == out.model_size()
    assert out.loaded_size() >= held
    personal = with_lora(out, lora)
    assert personal.model_size() > out.model_size()
    assert loaded <= out.loaded_size()


def test_freeing_memory_takes_it_first(model, prompts):
    out = quantized(model, protect="none", spec=AttentionSpec(kv_bits=8))
    sample(out, *prompts)
    held, resident = side_memory(out.model).nbytes, out.model.model_loaded_weight_memory
    assert out.partially_unload(out.offload_device, held) == held
    assert side_memory(out.model).nbytes == 0
    assert out.model.model_loaded_weight_memory == resident


def test_unloading_frees_it_for_every_setting_that_shares_the_model(model, prompts):
    """Also for one that the host no longer has on its list, and for one whose node ran again
    since.
    """
    settings = [
        quantized(model, protect=protect, spec=AttentionSpec(kv_bits=8))
        for protect in ("none", "BOS")
    ]
    for out in settings:
        sample(out, *prompts)
    model_of_both = settings[0].model
    assert settings[1].model is model_of_both
    assert side_memory(model_of_both).nbytes > 0
    comfy.model_management.unload_all_models()
    assert side_memory(model_of_both).nbytes == 0
    sample(settings[1], *prompts)
    del out, settings  # the host now has the model's first patcher on its list
    comfy.model_management.unload_all_models()
    assert side_memory(model_of_both).nbytes == 0


def test_sampling_goes_on_after_it(model, prompts):
    out = quantized(model)
    before = sample(out, *prompts)
    comfy.model_management.unload_all_models()
    assert torch.equal(sample(out, *prompts), before)


def with_copied_lora(model, path, seed: int):
    """A LoRA whose factors are copied to the UNet's dtype."""
    generator = torch.Generator().manual_seed(seed)
    weights = {
        key: torch.randn(value.shape, generator=generator).half() / 100 if value.ndim > 1 else value
        for key, value in comfy.utils.load_torch_file(str(path)).items()
    }
    return comfy.sd.load_lora_for_models(model, None, weights, 1.0, 0)[0]


def test_a_lora_that_comes_is_counted_beside_those_that_are_copied(model, lora, prompts):
    out = quantized(model)
    side = side_memory(out.model)
    side.clear()
    first, second = (with_copied_lora(out, lora, seed) for seed in (1, 2))
    coming = second.model_size()
    sample(first, *prompts)
    assert second.model_size() - side.nbytes == coming
    assert first.model_size() - side.nbytes == out.model_size() - side.nbytes < coming


def test_copies_of_loras_stay_within_the_budget(model, lora, prompts):
    """Also where the room is needed while they are copied."""
    out = quantized(model)
    side = side_memory(out.model)
    side.clear()
    sample(with_copied_lora(out, lora, 1), *prompts, steps=1)
    sides = side.nbytes
    before, side.budget = side.budget, sides + sides // 4
    try:
        for seed in (2, 3):
            sample(with_copied_lora(out, lora, seed), *prompts, steps=6)
            assert side.nbytes <= side.budget
    finally:
        side.budget = before
