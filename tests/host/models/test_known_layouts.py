"""Test that files are known by their headers as the host's own detection knows them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.model_detection
import comfy.sd
import torch

from personalq.checkin.lexicon.base_models import covers
from personalq.checkin.lexicon.split_models import PIXELS, SPLIT_MODELS, split_model
from personalq.checkin.readers.header import Header
from personalq.checkin.readers.model_file import ModelFile
from personalq.checkin.readers.part_layouts import layout_of, parts_within
from personalq.checkin.readers.tensors import read
from personalq.nodes.host.models import card_of
from personalq.tests.host.split_encoders import ENCODERS, VAES, encoder_weights
from personalq.tests.host.split_layouts import LAYOUTS, weights

RANK = 4


def shapes(state: Mapping[str, torch.Tensor]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in state.items()}


def a_file(name: str, shapes: dict[str, tuple[int, ...]], tmp_path) -> ModelFile:
    return ModelFile(tmp_path / f"{name}.safetensors", Header({}, shapes), 0.0)


PREFIXES = ["", "model.diffusion_model."]


@pytest.mark.parametrize(
    ("name", "prefix"),
    [(name, prefix) for name in LAYOUTS for prefix in PREFIXES] + [("anima", "net.")],
)
def test_diffusion_models_are_known_as_the_host_knows_them(name, prefix, tmp_path):
    state = {prefix + key: tensor for key, tensor in weights(name).items()}
    theirs = comfy.model_detection.model_config_from_unet(state, prefix)
    assert type(theirs).__name__ == LAYOUTS[name].kind
    found = read(a_file("model", shapes(state), tmp_path), lambda said: None)
    assert found == {"kind": "checkpoint", "base_model": name}
    hosts = card_of.base_model_of(type(theirs))
    assert covers(hosts, name) or covers(name, hosts)
    assert split_model(name) is not None


@pytest.mark.parametrize("trainer", ["ai-toolkit", "kohya"])
@pytest.mark.parametrize("name", [one for one in LAYOUTS if one not in ("chroma", "flux1-fill")])
def test_loras_are_known_by_the_layers_that_they_change(name, trainer, tmp_path):
    """Of Chroma and Flux Fill, a LoRA's layers are those of Flux.1."""
    lora = {}
    for key, tensor in weights(name).items():
        layer = key.removesuffix(".weight")
        if tensor.ndim == 2 and re.search(r"(blocks|layers)\.\d", layer):
            if trainer == "kohya":
                down = f"lora_unet_{layer.replace('.', '_')}.lora_down.weight"
            else:
                down = f"diffusion_model.{layer}.lora_A.weight"
            lora[down] = (RANK, tensor.shape[1])
    found = read(a_file("bear", lora, tmp_path), lambda said: None)
    assert found == {"kind": "lora", "base_model": name}


@pytest.mark.parametrize(
    ("stem", "tensors", "expected"),
    [
        ("flux1-dev-kontext_fp8_scaled", "flux1", "flux1-kontext"),
        ("flux1-schnell", "flux1", "flux1-schnell"),
        ("z_image_turbo_bf16", "z-image", "z-image-turbo"),
        ("qwen_image_edit_2509_fp8_e4m3fn", "qwen-image", "qwen-image-edit"),
        ("wan2.2_t2v_low_noise_14B_fp16", "wan", "wan22-14b"),
        ("wan2.2_ti2v_5B_fp16", "wan", "wan"),
        ("bear", "flux1", "flux1"),
        ("chroma_bear", "flux1", "flux1"),
    ],
)
def test_a_variant_is_known_by_the_usual_name_of_its_file(stem, tensors, expected, tmp_path):
    found = read(a_file(stem, shapes(weights(tensors)), tmp_path), lambda said: None)
    assert found["base_model"] == expected


@pytest.mark.parametrize("layout", ENCODERS)
def test_text_encoders_are_known_as_the_host_knows_them(layout):
    state = encoder_weights(layout)
    assert comfy.sd.detect_te_model(state) == comfy.sd.TEModel[ENCODERS[layout].host_name]
    assert layout_of(shapes(state)) == layout
    assert parts_within(shapes({f"text_encoders.{key}": one for key, one in state.items()}))


@pytest.mark.parametrize("layout", VAES)
def test_vaes_are_known_by_their_latents(layout):
    with torch.device("meta"):
        state = VAES[layout]().state_dict()
    assert layout_of(shapes(state)) == layout


def test_every_part_of_the_table_has_a_layout_that_is_tested():
    needed = {part.layout for row in SPLIT_MODELS for part in (*row.text_encoders, row.vae)}
    assert needed - {*ENCODERS, *VAES} == {PIXELS}
