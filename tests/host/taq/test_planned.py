"""Test that the serving plan never ends a run: what TAQ cannot quantize is passed on, with why.

The models are tiny, in the files that people have, loaded by the host's own loaders.
"""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.memory_management
import comfy.model_detection
import comfy.sd
import comfy.supported_models as supported
from safetensors.torch import save_file

from personalq.checkin import Card, ServingPlan
from personalq.checkin.decision.serving.quantizable import reason_against
from personalq.nodes.host.taq.architectures import architecture_of
from personalq.nodes.taq import FROM_PLAN, TAQ
from personalq.taq_kernels.families import family_of_host
from personalq.tests.host.narrow_sdxl import SMALL
from personalq.tests.host.split_layouts import LAYOUTS
from personalq.tests.host.taq.transformers import state_of
from personalq.tests.host.taq.weights_of_others import FORMS, in_fp8

WAN = LAYOUTS["wan"].config | LAYOUTS["wan"].small | {"num_layers": 5}
SMALL_KINDS = {
    name: WAN | kind.unet_config
    for name, kind in vars(supported).items()
    if isinstance(kind, type) and issubclass(kind, supported.WAN21_T2V)
}
SMALL_KINDS["WAN21_Vace"] |= {"vace_in_dim": 96, "vace_layers": 1}
SMALL_KINDS["WAN_Animate2"] |= {"in_dim": 36}
SMALL_KINDS["SDXLRefiner"] = SMALL | supported.SDXLRefiner.unet_config | {
    "channel_mult": [1, 2, 4, 4], "num_res_blocks": [2] * 4, "transformer_depth_middle": 4,
    "transformer_depth_output": [0, 0, 0, 4, 4, 4, 4, 4, 4, 0, 0, 0],
}  # fmt: skip
"""Class of the host -> what it needs for a small model: all that are of Wan, and the refiner."""


def on_meta(kind: type, config: dict) -> torch.nn.Module:
    """A diffusion model of the host, whose tensors have no values."""
    made = kind(config)
    made.set_inference_dtype(torch.float32, None)
    return made.get_model({}, "", device="meta").diffusion_model


def file_of(shapes: dict[str, torch.Tensor], path: Path) -> Card:
    """A file with these tensors, all zeros, which takes no room."""
    header, end = {}, 0
    for name, one in shapes.items():
        header[name] = {"dtype": "F32", "shape": [*one.shape], "data_offsets": [end]}
        end += 4 * one.numel()
        header[name]["data_offsets"].append(end)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(path, 8 + len(text) + end)
    return Card(path.stem, str(path))


@pytest.fixture
def run():
    """The node, with a serving plan of 8 bits."""

    def run(model, preset: str):
        TAQ.hidden = SimpleNamespace(unique_id="1")
        selection = SimpleNamespace(serving=ServingPlan("W8A8", ""), card=Card("bear"))
        return TAQ.execute(model, preset, "trigger + BOS", "uniform", selection=selection)

    yield run
    del TAQ.hidden


@pytest.mark.parametrize("form", list(FORMS))
@torch.inference_mode()
def test_weights_that_are_quantized_already_are_passed_on(tmp_path, run, form):
    path = tmp_path / "dog.safetensors"
    save_file(FORMS[form](state_of("wan21-t2v")), path)
    lora, card = Card("lora", kind="lora", base_model="wan"), Card("dog", str(path))
    assert reason_against([lora, card]) == "dog is quantized already"
    model = comfy.sd.load_diffusion_model(card.path)
    out, report = run(model, FROM_PLAN).args
    assert out is model
    assert report.startswith("Not quantized. This model is quantized already. Connect the full-")
    with pytest.raises(ValueError, match="quantized already"):
        run(model, "W8A8")


@torch.inference_mode()
def test_numbers_of_8_bits_without_scales_are_quantized(tmp_path, run):
    path = tmp_path / "dog.safetensors"
    save_file(in_fp8(state_of("wan21-t2v")), path)
    assert reason_against([Card("dog", str(path))]) is None
    _, report = run(comfy.sd.load_diffusion_model(str(path)), FROM_PLAN).args
    assert report.startswith("W8A8 on cpu: ")


def test_only_the_diffusion_model_of_a_checkpoint_counts(tmp_path):
    shapes = {
        "model.diffusion_model.blocks.0.ffn.0.weight": torch.empty(8, 8),
        "text_encoders.umt5xxl.transformer.encoder.comfy_quant": torch.empty(1),
    }
    card = file_of(shapes, tmp_path / "dog.safetensors")
    assert reason_against([card]) is None
    shapes["model.diffusion_model.blocks.0.ffn.0.comfy_quant"] = torch.empty(1)
    assert reason_against([file_of(shapes, Path(card.path))]) == "dog is quantized already"


@pytest.mark.parametrize("kind", list(SMALL_KINDS))
def test_the_plan_knows_a_variant_as_the_host_does(tmp_path, monkeypatch, kind):
    """By the names of its layers: TAQ runs what the host makes of them, or it does not."""
    monkeypatch.setattr(comfy.memory_management, "aimdo_enabled", False)
    shapes = on_meta(getattr(supported, kind), SMALL_KINDS[kind]).state_dict()
    found = comfy.model_detection.model_config_from_unet(shapes, "")
    made = on_meta(type(found), found.unet_config)
    runs = bool(family_of_host(found) and architecture_of(made))
    against = reason_against([file_of(shapes, tmp_path / "dog.safetensors")])
    assert against == (None if runs else "TAQ does not run dog, a model with layers of its own")


@torch.inference_mode()
def test_a_variant_is_passed_on(tmp_path, run):
    shapes = on_meta(supported.WAN21_Vace, SMALL_KINDS["WAN21_Vace"]).state_dict()
    card = file_of(shapes, tmp_path / "dog.safetensors")
    model = comfy.sd.load_diffusion_model(card.path)
    out, report = run(model, FROM_PLAN).args
    assert out is model
    assert report.startswith("Not quantized. TAQ does not support this model (WAN21_Vace).")
    with pytest.raises(ValueError, match="does not support"):
        run(model, "W8A8")
