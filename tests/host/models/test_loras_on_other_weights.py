"""Test a LoRA on a connected model that the host has loaded from weights of 8 and 4 bits."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.sd
from comfy.quant_ops import QuantizedTensor
from safetensors.torch import save_file

from personalq.tests.host.models.loras_on_wan import MODEL, errors
from personalq.tests.host.taq.transformers import state_of
from personalq.tests.host.taq.weights_of_others import FORMS, FP8, in_fp8


@pytest.mark.parametrize("form", ["fp8", *FORMS])
@torch.inference_mode()
def test_the_lora_has_its_effect(tmp_path, form):
    path = tmp_path / "wan.safetensors"
    save_file((FORMS | {"fp8": in_fp8})[form](state_of(MODEL)), path)
    options = {"dtype": FP8} if form == "fp8" else {}
    model = comfy.sd.load_diffusion_model(str(path), options)
    weight = model.model.diffusion_model.blocks[0].self_attn.q.weight
    assert (weight.dtype == FP8) if form == "fp8" else isinstance(weight, QuantizedTensor)
    found = errors(model, tmp_path)
    assert 0 < found.of_weights < 0.05
    assert found.of_lora < 0.6 * found.effect, "without the LoRA it would be the whole effect"
