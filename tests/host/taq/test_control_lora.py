"""Test a quantized MODEL with a Control-LoRA, which takes over the model's own weights."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.cldm.cldm
import comfy.ops
import node_helpers
from comfy.controlnet import ControlLora

from personalq.tests.host.sampling import quantized, relative_error, sample

RANK = 4


@pytest.fixture(scope="module")
def control_lora(model) -> ControlLora:
    """One of random weights for every layer that it shares with the model."""
    config = {**model.model.model_config.unet_config, "hint_channels": 3}
    del config["out_channels"]
    layers = comfy.cldm.cldm.ControlNet(**config, operations=comfy.ops.disable_weight_init)
    shared = model.model.diffusion_model.state_dict().keys()
    weights = {"lora_controlnet": torch.tensor([])}
    generator = torch.Generator().manual_seed(0)
    for name, weight in layers.state_dict().items():
        size = weight[0].numel() ** -0.5 if weight.ndim > 1 else 0.0
        if name not in shared:
            weights[name] = 0.5 * size * torch.randn(weight.shape, generator=generator)
        elif size:
            layer, rows = name.removesuffix("weight"), (len(weight), RANK)
            down = torch.randn(RANK, weight[0].numel(), generator=generator)
            weights[f"{layer}up"] = 0.1 * torch.randn(rows, generator=generator)
            weights[f"{layer}down"] = size * down
    return ControlLora(weights)


@pytest.fixture
def controlled(control_lora, tree):
    """The prompt with two Control-LoRAs, one after the other."""
    hint = torch.rand(1, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    first, second = (control_lora.copy().set_cond_hint(hint, share, vae=None) for share in (1, 0.5))
    second.set_previous_controlnet(first)
    return node_helpers.conditioning_set_values(
        tree, {"control": second, "control_apply_to_uncond": True}
    )


@pytest.mark.parametrize(("preset", "bound"), [("W8", 0.03), ("W8A8", 0.1), ("W4A8", 0.2)])
def test_draws_nearly_the_same(model, tree, negative, controlled, preset, bound):
    """And the model in full precision draws exactly the same afterwards."""
    wanted = sample(model, controlled, negative)
    out = quantized(model, preset)
    assert relative_error(sample(out, controlled, negative), wanted) < bound
    assert relative_error(sample(out, tree, negative), wanted) > 0.2
    assert torch.equal(sample(model, controlled, negative), wanted)
