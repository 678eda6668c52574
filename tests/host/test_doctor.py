"""Test the doctor's checks inside ComfyUI.

They pass, also with dynamic VRAM, and they find errors.
"""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.model_management
import comfy.sd
import folder_paths

from personalq.doctor import host_checks, small_unet
from personalq.doctor.rows import FAILED, OK, measured
from personalq.taq_kernels import quantized_ops
from personalq.tests.host.taq.dynamic import DynamicOnCPU, dynamic_vram  # noqa: F401 - a fixture

CPU = torch.device("cpu")


@pytest.fixture
def checks(tmp_path, monkeypatch):
    """By name; nothing was quantized before."""
    monkeypatch.setattr(folder_paths, "models_dir", str(tmp_path))
    yield {check.name: check for check in host_checks.checks(CPU, quick=True)}
    host_checks.forget()


def test_all_pass(checks):
    rows = [measured(check) for check in checks.values()]
    assert {row.check: (row.result, row.reason) for row in rows} == dict.fromkeys(checks, (OK, ""))
    assert all(
        row.ms and row.float_ms and row.layers == 57 for row in rows if row.check.startswith("UNet")
    )


@pytest.mark.parametrize("name", ["UNet W8A8 in ComfyUI", "two LoRAs"])
def test_under_dynamic_vram(dynamic_vram, checks, name):  # noqa: F811
    bench = checks[name].run.args[0]
    assert isinstance(bench.source, DynamicOnCPU)
    row = measured(checks[name])
    assert (row.result, row.reason) == (OK, "")


def test_a_wrong_product_is_found(checks, monkeypatch):
    product = quantized_ops.linear
    monkeypatch.setattr(quantized_ops, "linear", lambda *arguments: product(*arguments) * 1.2)
    assert measured(checks["UNet W8A8 in ComfyUI"]).result == FAILED


def test_weights_that_come_back_changed_are_found(checks, monkeypatch):
    unload = comfy.model_management.unload_all_models
    bench = checks["offload round trip"].run.args[0]

    def spoiling() -> None:
        unload()
        made, _ = bench.quantized("W8A8")
        with torch.inference_mode():
            made.patcher.model.diffusion_model.out[2].weight.add_(1e-3)

    monkeypatch.setattr(comfy.model_management, "unload_all_models", spoiling)
    assert measured(checks["offload round trip"]).result == FAILED


def test_weights_that_stay_when_memory_is_short_are_found(checks, monkeypatch):
    monkeypatch.setattr(host_checks.TAQPatcher, "partially_unload", lambda *_: 0)
    row = measured(checks["partial loading"])
    assert row.result == FAILED
    assert "100% of the weights were loaded" in row.reason


@pytest.mark.parametrize("lost", [0, 1])
def test_a_lora_that_is_lost_is_found(checks, monkeypatch, lost):
    load, calls = comfy.sd.load_lora_for_models, []

    def forgetful(model, clip, lora, *strengths):
        calls.append(lora)
        return (model, clip) if len(calls) == lost + 1 else load(model, clip, lora, *strengths)

    monkeypatch.setattr(comfy.sd, "load_lora_for_models", forgetful)
    row = measured(checks["two LoRAs"])
    assert row.result == FAILED
    assert row.error > 0.1


def test_the_unet_of_a_gpu_is_taken_for_sd15_too():
    state = small_unet.random_state(host_checks.GPU_LEVELS, torch.float16)
    model = small_unet.load(state, CPU)
    assert type(model.model.model_config).__name__ == "SD15"
    assert model.model.diffusion_model.state_dict().keys() == state.keys()
