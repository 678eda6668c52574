"""Test the settings that sidecars of other tools hold: of example pictures, and the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Card
from personalq.checkin.decision.serving.sampling import sampling
from personalq.checkin.index.read_models import card_of_file
from personalq.checkin.readers.example_pictures import settings_of
from personalq.tests.checkin import make_files as make


def picture(sampler="DPM++ 2M Karras", steps=30, **others):
    return {
        "url": "https://image.example/1.jpeg",
        "meta": {"sampler": sampler, "steps": steps} | others,
    }


PICTURES = [
    {"url": "https://image.example/0.jpeg", "meta": None},
    picture(steps=20, cfgScale=5, Size="768x512", clipSkip=2, negativePrompt="text"),
    picture(cfgScale=6.5, Size="512x768", clipSkip=2, negativePrompt="blurry"),
    picture(cfgScale=6.5, Size="512x768", negativePrompt="blurry"),
    picture("Euler a", 50, cfgScale=12, Size="1024x1024"),
]


def card_with(folder: Path, ending: str, content: object) -> Card:
    model = make.make_lora(folder / "bear.safetensors")
    make.beside(model, ending, content)
    card = card_of_file(str(model))
    assert card is not None
    return card


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".civitai.info", make.CIVITAI | {"images": PICTURES}),
        (".metadata.json", make.LORA_MANAGER | {"civitai": make.CIVITAI | {"images": PICTURES}}),
        (
            ".safetensors.rgthree-info.json",
            make.RGTHREE | {"raw": {"civitai": make.CIVITAI | {"images": PICTURES}}},
        ),
    ],
)
def test_what_most_pictures_have_is_recommended(tmp_path: Path, ending, content):
    card = card_with(tmp_path, ending, content)
    found = sampling(card, None, "final")
    assert (found.width, found.height, found.steps, found.cfg) == (512, 768, 30, 6.5)
    assert (found.sampler, found.scheduler) == ("dpmpp_2m", "karras")
    assert (found.clip_skip, found.negative) == (-2, "blurry")
    assert (
        found.made_for.startswith(
            "size, steps, cfg, sampler, clip skip, negative prompt: the example pictures of bear"
        )
        or ending == ".metadata.json"
    )  # LoRA Manager's usage tip is the user's own


def test_rgthree_writes_some_settings_into_the_picture(tmp_path: Path):
    flat = {"sampler": "Euler a", "steps": 28, "cfg": 5, "negative": "text", "seed": 1}
    card = card_with(
        tmp_path, ".safetensors.rgthree-info.json", make.RGTHREE | {"images": [flat], "raw": {}}
    )
    assert (card.sampler, card.steps, card.cfg, card.negative) == ("euler_ancestral", 28, 5, "text")


def test_what_the_user_wrote_comes_before_the_pictures(tmp_path: Path):
    model = make.make_lora(tmp_path / "bear.safetensors")
    make.beside(model, ".civitai.info", make.CIVITAI | {"images": PICTURES})
    make.beside(model, ".personalq.yaml", "steps: 22\n")
    make.beside(model, ".json", make.A1111 | {"negative text": "ugly"})
    make.beside(model, ".metadata.json", make.LORA_MANAGER)
    card = card_of_file(str(model))
    assert card is not None
    assert (card.steps, card.cfg, card.negative, card.clip_skip) == (22, 6.5, "ugly", 2)
    assert card.sources["cfg"] == "example pictures"
    assert card.sources["clip_skip"] == "metadata.json"


def test_stability_matrix_has_the_users_own_defaults(tmp_path: Path):
    own = {
        "Sampler": {"Name": "dpmpp_2m_sde_gpu", "DisplayName": "DPM++ 2M SDE GPU"},
        "Scheduler": {"Name": "karras", "DisplayName": "Karras"},
        "Steps": 33,
        "CfgScale": 4.5,
        "Width": 832,
        "Height": 1216,
    }
    card = card_with(tmp_path, ".cm-info.json", make.STABILITY_MATRIX | {"InferenceDefaults": own})
    assert (card.sampler, card.scheduler) == ("dpmpp_2m_sde_gpu", "karras")
    assert (card.steps, card.cfg, card.resolution) == (33, 4.5, "832x1216")


def test_the_cfg_of_pictures_is_not_that_of_a_model_distilled_for_guidance():
    card = Card(
        "x", "/m/x.safetensors", "lora", base_model="flux1", cfg=3.5,
        sources={"cfg": "example pictures"},
    )  # fmt: skip
    assert sampling(card, None, "final").cfg == 1.0


def test_clip_skip_is_never_less_than_what_the_base_model_needs():
    card = Card("x", "/m/x.safetensors", base_model="pony", clip_skip=1)
    assert sampling(card, None, "final").clip_skip == -2
    flux = Card("x", "/m/x.safetensors", base_model="flux1", clip_skip=2)
    assert sampling(flux, None, "final").clip_skip == -1


def test_a_sampler_without_its_scheduler_has_no_scheduler_of_another_source():
    card = Card("x", base_model="sd15", sampler="euler", scheduler="karras",
                sources={"sampler": "sidecar", "scheduler": "example pictures"})  # fmt: skip
    found = sampling(card, None, "final")
    assert (found.sampler, found.scheduler) == ("euler", "normal")


@pytest.mark.parametrize(
    "meta",
    [
        {"sampler": ["Euler"], "steps": "many", "cfgScale": None, "Size": "12x12"},
        {"sampler": {}, "steps": -4, "cfgScale": "nan", "Size": 5, "clipSkip": "2.5"},
        {"sampler": "mystery", "steps": 1e400, "cfgScale": True, "Size": "x", "clipSkip": 99},
        {"meta": {"meta": 5}},
        "no object",
    ],
)
def test_metadata_that_cannot_be_used_says_nothing(meta):
    assert settings_of([{"meta": meta}, meta, 5, None]) == {}


def test_a_negative_prompt_loads_nothing(tmp_path: Path):
    pictures = [picture(negativePrompt="text, <lora:other:1>, embedding:bad, (ugly:1.2)")]
    card = card_with(tmp_path, ".civitai.info", make.CIVITAI | {"images": pictures})
    assert card.negative == "text, , bad, (ugly:1.2)"
