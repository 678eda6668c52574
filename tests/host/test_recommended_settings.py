"""Test Recommended Settings: what a model was made for, whichever node loaded it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.supported_models
from comfy.model_patcher import ModelPatcher

from personalq.checkin.lexicon.samplers import SAMPLERS, SCHEDULERS
from personalq.demo.host_process import failure
from personalq.nodes.host.models.card_of import base_model_of, card_of
from personalq.taq_kernels.spec import ATTENTION_QUANTIZERS
from personalq.tests.host.graphs import check_in, said


@pytest.mark.parametrize(
    ("name", "base_model"),
    [
        ("SD15", "sd15"),
        ("SD20", "sd2"),
        ("SDXL", "sdxl"),
        ("SSD1B", "sdxl"),
        ("Segmind_Vega", "sdxl"),
        ("SD3", "sd3"),
    ],
)
def test_the_hosts_own_name_of_a_model_tells_its_base(name, base_model):
    assert base_model_of(getattr(comfy.supported_models, name)) == base_model


def test_a_model_of_the_stock_loader_has_the_card_of_its_file(demo_repository: Path):
    import comfy.sd

    file = demo_repository / "checkpoints" / "demo_base.safetensors"
    model = comfy.sd.load_checkpoint_guess_config(str(file), output_vae=False, output_clip=False)[0]
    card = card_of(model)
    assert (card.name, card.resolution, card.cfg) == ("demo_base", "128x128", 2.5)
    assert card_of(model.clone()).resolution == "128x128"


def test_a_model_without_a_file_is_known_by_its_base(model: ModelPatcher):
    made = model.clone()
    made.cached_patcher_init = None
    assert (card_of(made).base_model, card_of(made).resolution) == ("sd15", None)


def why(host, graph, **inputs) -> str:
    """What the node says that its values are."""
    node = {"class_type": "PersonalQSettings", "inputs": inputs}
    show = {"class_type": "PreviewAny", "inputs": {"source": ["settings", 3]}}
    entry = host.prompt(graph | {"settings": node, "show": show}, "client")
    assert failure(entry) is None
    return said(entry, "settings")["why"]


@pytest.mark.parametrize("repository", ["all models", "loras"])
def test_a_lora_is_drawn_as_the_card_of_its_base_says(host, repository):
    """Also when only LoRAs are looked through: its base lies elsewhere."""
    graph = check_in("my latest realistic bear", repository=repository)
    expected = (
        "128 x 128, 20 steps, cfg 2.5, dpmpp_2m karras, clip skip -1. "
        "Size, steps, cfg: the card of demo_base; the rest: usual for SD 1.5."
    )
    assert why(host, graph, selection=["2", 5]) == expected


def test_the_output_settings_gives_the_same_as_the_selection(host):
    graph = check_in("my latest realistic bear")
    assert why(host, graph, settings=["2", 7]) == why(host, graph, selection=["2", 5])


def test_a_request_for_a_draft_takes_fewer_steps(host):
    graph = check_in("a quick draft of my latest realistic bear")
    assert "12 steps" in why(host, graph, selection=["2", 5])


def test_after_the_stock_loader(host):
    load = {
        "class_type": "CheckpointLoaderSimple",
        "inputs": {"ckpt_name": "person/anna.safetensors"},
    }
    assert why(host, {"load": load}, model=["load", 0]).endswith(
        "Size, steps, cfg: the card of anna; the rest: usual for SD 1.5."
    )


@pytest.mark.usefixtures("settings_file")
def test_a_changed_sidecar_and_setting_count_at_once(host, demo_repository):
    """Of a model that is loaded already, by the stock loader."""
    load = {
        "class_type": "CheckpointLoaderSimple",
        "inputs": {"ckpt_name": "demo_base.safetensors"},
    }
    sidecar = demo_repository / "checkpoints" / "demo_base.personalq.yaml"
    before = sidecar.read_bytes()
    assert "20 steps, cfg 2.5" in why(host, {"load": load}, model=["load", 0])
    try:
        sidecar.write_text("cfg: 4\n")
        host.post("/personalq/settings", {"prefer": "speed"})
        changed = why(host, {"load": load}, model=["load", 0])
    finally:
        sidecar.write_bytes(before)
    assert "12 steps, cfg 4" in changed


def test_behind_taq_as_before_it(host):
    """A LoRA loader behind it hands on a clone of what TAQ gives."""
    graph = {
        "load": {
            "class_type": "CheckpointLoaderSimple",
            "inputs": {"ckpt_name": "person/anna.safetensors"},
        },
        "taq": {
            "class_type": "PersonalQTAQ",
            "inputs": {
                "model": ["load", 0],
                "preset": "W8A8",
                "protect": "trigger + BOS",
                "quantizer": ATTENTION_QUANTIZERS[0],
            },
        },
        "lora": {
            "class_type": "LoraLoaderModelOnly",
            "inputs": {
                "model": ["taq", 0],
                "lora_name": "styles/blueprint.safetensors",
                "strength_model": 1.0,
            },
        },
    }
    before, behind, after = (why(host, graph, model=[node, 0]) for node in graph)
    assert before == behind == after
    assert "the card of anna" in before


def test_every_sampler_and_scheduler_is_one_of_the_hosts():
    import comfy.samplers

    assert set(SAMPLERS.values()) <= set(comfy.samplers.KSampler.SAMPLERS)
    assert set(SCHEDULERS.values()) <= set(comfy.samplers.KSampler.SCHEDULERS)


def test_a_sampler_runs_with_all_of_its_outputs(host):
    """Connected to the stock nodes that take each of them."""
    settings = {"class_type": "PersonalQSettings", "inputs": {"selection": ["2", 5]}}
    graph = check_in("my latest realistic bear") | {
        "settings": settings,
        "latent": {
            "class_type": "EmptyLatentImage",
            "inputs": {"width": ["settings", 0], "height": ["settings", 1], "batch_size": 1},
        },
        "clip": {
            "class_type": "CLIPSetLastLayer",
            "inputs": {"clip": ["2", 1], "stop_at_clip_layer": ["settings", 6]},
        },
        "negative": {
            "class_type": "CLIPTextEncode",
            "inputs": {"clip": ["clip", 0], "text": ["settings", 7]},
        },
        "sample": {
            "class_type": "KSampler",
            "inputs": {
                "model": ["2", 0],
                "seed": 1,
                "steps": ["settings", 2],
                "cfg": ["settings", 3],
                "sampler_name": ["settings", 4],
                "scheduler": ["settings", 5],
                "positive": ["2", 3],
                "negative": ["negative", 0],
                "latent_image": ["latent", 0],
                "denoise": 1.0,
            },
        },
        "show": {"class_type": "PreviewAny", "inputs": {"source": ["sample", 0]}},
    }
    entry = host.prompt(graph, "client")
    assert failure(entry) is None
    assert "samples" in str(entry["outputs"]["show"])


def test_with_nothing_connected_it_says_what_to_connect(host):
    node = {"class_type": "PersonalQSettings", "inputs": {}}
    show = {"class_type": "PreviewAny", "inputs": {"source": ["settings", 0]}}
    error = failure(host.prompt({"settings": node, "show": show}, "client"))
    assert (
        error
        == "Connect Repo Check-in's settings or selection, or a model: the settings depend on "
        "the model."
    )
