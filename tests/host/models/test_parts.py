"""Test which files a model's parts are found in, and what is said of those that are missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import folder_paths
import torch
from safetensors.torch import save_file

from personalq.checkin import Card
from personalq.checkin.lexicon.split_models import SPLIT_MODELS, split_model
from personalq.nodes.host.models.parts import Files, files_of, find, missing_base

LAYOUTS = {
    "clip-l": {"text_model.encoder.layers.0.mlp.fc1.weight": (1, 1)},
    "t5-xxl": {"encoder.block.23.layer.1.DenseReluDense.wi_1.weight": (10240, 1)},
    "qwen3-4b": {
        "model.layers.0.post_attention_layernorm.weight": (2560,),
        "model.layers.0.self_attn.q_norm.weight": (1,),
    },
    "qwen3-8b": {
        "model.layers.0.post_attention_layernorm.weight": (4096,),
        "model.layers.0.self_attn.q_norm.weight": (1,),
    },
    "16 channels": {"decoder.conv_in.weight": (1, 16, 1, 1)},
    "flux2": {"decoder.conv_in.weight": (1, 32, 1, 1)},
    "model": {"img_in.weight": (1, 1)},
}
"""Layout -> what of its tensors tells it."""


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a file of a layout into one of the host's folders, of which all are empty."""
    for folder in ("diffusion_models", "text_encoders", "vae"):
        (tmp_path / folder).mkdir()
        places = ([str(tmp_path / folder)], {".safetensors"})
        monkeypatch.setitem(folder_paths.folder_names_and_paths, folder, places)

    def put(folder: str, name: str, layout: str) -> str:
        path = tmp_path / folder / f"{name}.safetensors"
        path.parent.mkdir(exist_ok=True)
        tensors = {key: torch.zeros(shape) for key, shape in LAYOUTS[layout].items()}
        save_file(tensors, path)
        return str(path)

    return put


def card_of(put, name: str, base_model: str | None) -> Card:
    path = put("diffusion_models", name, "model")
    return Card(name, path=path, base_model=base_model)


def test_a_place_that_is_gone_is_as_an_empty_one(put, tmp_path):
    """Also where the host has listed it before, as with a disk that is taken away."""
    encoder = split_model("flux1")
    path = put("text_encoders", "clip_l", "clip-l")
    [part] = [one for one in encoder.text_encoders if "clip_l" in one.names]
    assert find(part) == path
    shutil.rmtree(tmp_path / "text_encoders")
    assert find(part) is None


def test_parts_are_found_by_their_usual_names(put):
    clip, t5 = (
        put("text_encoders", "clip_l", "clip-l"),
        put("text_encoders", "T5XXL_fp16", "t5-xxl"),
    )
    put("text_encoders", "clip_l_hidream", "clip-l")
    vae = put("vae", "flux/ae", "16 channels")
    assert files_of(card_of(put, "mine", "flux1-krea")) == Files("flux", (clip, t5), vae)


def test_an_encoder_of_another_name_is_known_by_its_tensors(put):
    encoder = put("text_encoders", "my_qwen", "qwen3-4b")
    put("text_encoders", "another", "qwen3-8b")
    vae = put("vae", "some_vae", "16 channels")
    assert files_of(card_of(put, "mine", "z-image")) == Files("lumina2", (encoder,), vae)


def test_a_vae_is_never_guessed(put):
    put("vae", "sd3_vae", "16 channels")
    assert find(split_model("flux1").vae) is None, "it is usual for another family"
    put("vae", "one", "16 channels")
    put("vae", "two", "16 channels")
    assert find(split_model("flux1").vae) is None


def test_what_is_missing_is_named_with_its_folder(put):
    put("text_encoders", "clip_l", "clip-l")
    message = (
        r"^'mine' is for Flux.1, and parts of it are missing: t5xxl_fp16.safetensors, "
        r"t5xxl_fp8_e4m3fn_scaled.safetensors or t5xxl_fp8_e4m3fn.safetensors into text_encoders "
        r"and ae.safetensors or flux_vae.safetensors into vae. ComfyUI's own templates download "
    )
    with pytest.raises(FileNotFoundError, match=message):
        files_of(card_of(put, "mine", "flux1"))


def test_an_encoder_of_another_family_is_told(put):
    put("vae", "flux2-vae", "flux2")
    put("text_encoders", "qwen_3_8b", "qwen3-4b")
    message = (
        r"into text_encoders \(the qwen_3_8b.safetensors that is there is another one: qwen3-4b"
    )
    with pytest.raises(FileNotFoundError, match=message):
        files_of(card_of(put, "mine", "flux2-klein-9b"))


def test_a_lora_without_base_names_all_that_it_needs(put):
    put("vae", "ae", "16 channels")
    lora = Card("bear", "/m/bear.safetensors", "lora", base_model="z-image")
    assert str(missing_base(lora, split_model("z-image"))) == (
        "The LoRA 'bear' needs a Z-Image model to be loaded on, and none is here. Put "
        "z_image_turbo_bf16.safetensors into diffusion_models and qwen_3_4b.safetensors or "
        "qwen_3_4b_fp8_mixed.safetensors into text_encoders. ComfyUI's own templates download "
        "them: Workflow, Browse Templates. If you have one, write its name into the LoRA's sidecar "
        "with `base:`."
    )
    unheard = Card("bear", "/m/bear.safetensors", "lora", base_model="mynet-3")
    said = r"needs a model of its base model \(mynet-3\) to be loaded on, and none is here\. Put it"
    with pytest.raises(FileNotFoundError, match=said):
        raise missing_base(unheard, None)


def test_a_model_of_which_nobody_knows_the_parts_is_left_to_the_host(put):
    assert files_of(card_of(put, "mine", "mynet-3")) == Files()


@pytest.mark.parametrize("row", SPLIT_MODELS, ids=lambda row: row.base_model)
def test_every_row_is_one_that_the_host_can_load(row):
    import comfy.sd

    assert comfy.sd.CLIPType[row.clip_type.upper()]
    assert row.models
    assert split_model(row.base_model) is row
