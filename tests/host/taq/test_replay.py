"""Test that repeated steps are recorded and replayed, and only those.

On a CPU a CUDA graph is emulated at its edge: what is recorded runs again, on tensors of its own.
On a GPU the graph itself is tested.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.model_management

from personalq.nodes.host.taq import replay
from personalq.nodes.host.taq.side_memory import side_memory
from personalq.tests.host.sampling import encode, quantized, sample
from personalq.tests.host.taq.test_model import with_lora

STEPS = 6


class Again:
    """A recording that runs the call again."""

    nbytes = 1000
    made: list[Again] = []

    def __init__(self, call: Callable[..., Tensor], tensors: Sequence[Tensor]) -> None:
        self.call, self.given, self.replays = call, [one.clone() for one in tensors], 0
        self.out = call(*self.given)
        Again.made.append(self)

    def replay(self, tensors: Sequence[Tensor]) -> Tensor:
        for own, given in zip(self.given, tensors, strict=True):
            own.copy_(given)
        self.replays += 1
        return self.call(*self.given).clone()


@pytest.fixture(autouse=True)
def recorded(monkeypatch) -> list[Again]:
    """The recordings that a test makes."""
    Again.made = []
    if not torch.cuda.is_available():
        monkeypatch.setattr(replay, "RECORDED_ON", {"cpu"})
        monkeypatch.setattr(replay.Replays.__init__, "__defaults__", (Again,))
    monkeypatch.setenv(replay.ON, "1")
    return Again.made


@pytest.fixture
def prompts(base):
    return encode(base[1], "a photo of a bear"), encode(base[1], "blurry")


@pytest.fixture
def launched(model, prompts, monkeypatch) -> Tensor:
    """A latent of W8A8 without recordings."""
    monkeypatch.delenv(replay.ON)
    latent = drawn(quantized(model), prompts)
    monkeypatch.setenv(replay.ON, "1")
    return latent


def drawn(model, prompts, **how) -> Tensor:
    with torch.inference_mode():
        return sample(model, *prompts, steps=STEPS, **how).clone()


def test_a_replayed_step_is_the_launched_step(model, prompts, launched, recorded):
    out = quantized(model)
    assert torch.equal(drawn(out, prompts), launched)
    assert [one.replays for one in recorded] == [STEPS - replay.LAUNCHED]
    assert torch.equal(drawn(out, prompts), launched)
    assert [one.replays for one in recorded] == [2 * STEPS - replay.LAUNCHED]


def test_it_is_off_by_default(model, prompts, launched, recorded):
    assert recorded == []


def test_the_allocator_of_cuda_is_refused_with_the_next_step(
    model, prompts, launched, recorded, monkeypatch, caplog
):
    """On a CPU the device is emulated: what the host's default on NVIDIA answers."""
    monkeypatch.setattr(torch.cuda, "get_allocator_backend", lambda: "cudaMallocAsync")
    reason = replay.refusal(torch.device("cuda"))
    monkeypatch.setattr(replay, "refusal", lambda device: reason)
    assert torch.equal(drawn(quantized(model), prompts), launched)
    assert recorded == []
    assert caplog.text.count("start ComfyUI with --disable-cuda-malloc") == 1


def test_each_prompt_size_and_lora_has_its_own(base, model, lora, prompts, launched, recorded):
    out = quantized(model)
    other = encode(base[1], "a dog"), prompts[1]
    for given, how in ((prompts, {}), (other, {}), (prompts, {"size": 16})):
        drawn(out, given, **how)
    assert len(recorded) == 3
    personal = with_lora(out, lora)
    with_it = drawn(personal, prompts)
    assert len(recorded) == 4
    assert not torch.equal(with_it, launched)
    assert torch.equal(drawn(out, prompts), launched)


def test_code_of_others_is_never_replayed(model, prompts, recorded):
    out, calls = quantized(model), []
    patched = out.clone()
    patched.set_model_attn2_patch(lambda q, k, v, options: calls.append(1) or (q, k, v))
    drawn(patched, prompts)
    assert recorded == []
    assert len(calls) % STEPS == 0


def test_a_hook_on_a_layer_sees_every_step(model, prompts, launched, recorded):
    out, seen = quantized(model), []
    drawn(out, prompts)
    assert len(recorded) == 1
    layer = out.model.diffusion_model.middle_block[0].out_layers
    hook = layer.register_forward_hook(lambda *_: seen.append(1))
    before = recorded[0].replays
    assert torch.equal(drawn(out, prompts), launched)
    hook.remove()
    assert len(seen) == STEPS
    assert recorded[0].replays == before


def test_unloading_drops_recordings_and_the_host_is_told_of_them(model, prompts, launched):
    out = quantized(model)
    weights = out.model_size() - side_memory(out.model).nbytes
    drawn(out, prompts)
    assert side_memory(out.model).nbytes >= Again.nbytes
    assert out.model_size() == weights + side_memory(out.model).nbytes
    comfy.model_management.unload_all_models()
    assert side_memory(out.model).nbytes == 0
    assert torch.equal(drawn(out, prompts), launched)


def test_no_recording_where_its_memory_is_not_free(model, prompts, recorded, monkeypatch):
    out = quantized(model)
    needed = out.memory_required([1, 4, 8, 8])

    def little(device=None, torch_free_too=False):
        return (needed, needed) if torch_free_too else needed

    monkeypatch.setattr(comfy.model_management, "get_free_memory", little)
    drawn(out, prompts)
    assert recorded == []


def test_what_cannot_be_recorded_is_launched(model, prompts, launched, monkeypatch, caplog):
    def refuse(*_):
        tried.append(1)
        raise RuntimeError("operation not permitted when stream is capturing\nmore")

    tried: list[int] = []
    monkeypatch.setattr(replay.Replays.__init__, "__defaults__", (refuse,))
    assert torch.equal(drawn(quantized(model), prompts), launched)
    assert len(tried) == 1
    assert "not permitted when stream is capturing" in caplog.text
    assert "more" not in caplog.text


def test_what_it_reads_is_held_as_long_as_it(model, lora, prompts, recorded):
    """Side memory may drop a prompt and a LoRA's copy that a recording still reads."""
    personal = with_lora(quantized(model), lora)
    latent = drawn(personal, prompts)
    with torch.inference_mode():
        for holding in list(side_memory(personal.model)._holdings):
            if not isinstance(holding, replay.Replays):
                holding.clear()
        gc.collect()
    assert torch.equal(drawn(personal, prompts), latent)
