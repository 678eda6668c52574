"""Test the settings of a model: from cards, example pictures, few-step models, base models."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Card, Repository
from personalq.checkin.decision.serving.sampling import Sampling, sampling
from personalq.checkin.index.read_models import card_of_file
from personalq.checkin.index.sidecar_file import write_sidecar
from personalq.tests.checkin.make_files import beside, make_checkpoint, make_lora

PORTRAIT = {"modelspec.architecture": "stable-diffusion-v1", "modelspec.resolution": "640x960"}


def size(found: Sampling) -> tuple[int, int]:
    return found.width, found.height


def recommended(folder: Path, name: str) -> Sampling:
    """For the model with this name, read as Check-in reads it."""
    repository = Repository.open(folder, embedder=None)
    card = next(card for card in repository.cards if card.name == name)
    return sampling(card, repository.base_for(card), "final")


@pytest.mark.parametrize(
    ("base_model", "side", "steps", "cfg", "sampler", "clip_skip"),
    [
        ("sd15", 512, 25, 7.0, "dpmpp_2m karras", -1),
        ("sd2", 768, 25, 7.0, "dpmpp_2m karras", -2),
        ("sdxl", 1024, 25, 7.0, "dpmpp_2m karras", -2),
        ("pony", 1024, 25, 7.0, "euler_ancestral normal", -2),
        ("noobai", 1024, 28, 5.0, "euler normal", -2),
        ("flux1-krea", 1024, 20, 1.0, "euler simple", -1),
        ("qwen-image-edit", 1328, 20, 2.5, "euler simple", -1),
        ("z-image", 1024, 25, 4.0, "res_multistep simple", -1),
        (None, 1024, 25, 7.0, "euler normal", -1),
    ],
)
def test_without_a_word_it_is_what_the_base_model_was_made_for(
    base_model, side, steps, cfg, sampler, clip_skip
):
    found = sampling(Card("x", "/m/x.safetensors", base_model=base_model), None, "final")
    assert (size(found), found.steps, found.cfg) == ((side, side), steps, cfg)
    assert (f"{found.sampler} {found.scheduler}", found.clip_skip) == (sampler, clip_skip)


def test_the_negative_prompt_of_a_base_model_is_one_for_its_children_alone():
    assert "worst quality" in sampling(Card("x", base_model="noobai"), None, "final").negative
    assert sampling(Card("x", base_model="sdxl"), None, "final").negative == ""


@pytest.mark.parametrize(
    ("base_model", "architecture", "side"),
    [("sd15", "stable-diffusion-v1", 512), ("sdxl", "stable-diffusion-xl-v1-base", 1024)],
)
def test_a_lora_is_drawn_as_its_base_whatever_it_was_trained_on(
    tmp_path: Path, base_model, architecture, side
):
    make_checkpoint(tmp_path / "plain.safetensors", base_model)
    metadata = {"modelspec.architecture": f"{architecture}/lora", "modelspec.resolution": "768x768"}
    make_lora(tmp_path / "bear.safetensors", base_model, metadata | {"ss_resolution": "(768, 768)"})
    assert size(recommended(tmp_path, "bear")) == (side, side)


def test_the_header_of_a_checkpoint_says_its_resolution(tmp_path: Path):
    make_checkpoint(tmp_path / "portrait.safetensors", metadata=PORTRAIT)
    make_lora(tmp_path / "bear.safetensors")
    assert size(recommended(tmp_path, "portrait")) == (640, 960)
    assert size(recommended(tmp_path, "bear")) == (640, 960)


def test_the_sidecar_goes_first_and_the_loras_before_its_bases(tmp_path: Path):
    base = make_checkpoint(tmp_path / "plain.safetensors", metadata=PORTRAIT)
    lora = make_lora(tmp_path / "bear.safetensors")
    beside(base, ".personalq.yaml", "resolution: 128 x 96\nsteps: 20\ncfg: 2.5\n")
    beside(lora, ".personalq.yaml", "cfg: 3\n")
    found = recommended(tmp_path, "bear")
    assert (size(found), found.steps, found.cfg) == ((128, 96), 20, 3.0)
    assert found.made_for == (
        "size, steps: the card of plain; cfg: the card of bear; the rest: usual for SD 1.5"
    )


def test_what_is_said_can_be_written(tmp_path: Path):
    model = make_checkpoint(tmp_path / "plain.safetensors")
    written = {"resolution": "512", "steps": 30, "cfg": 6.5, "sampler": "Euler a"}
    write_sidecar(model, written | {"scheduler": "SGM Uniform", "clip_skip": 2, "negative": "text"})
    card = card_of_file(str(model))
    assert card is not None
    assert (card.resolution, card.steps, card.cfg) == ("512x512", 30, 6.5)
    assert (card.sampler, card.scheduler) == ("euler_ancestral", "sgm_uniform")
    assert (card.clip_skip, card.negative) == (2, "text")


def test_a_sampler_with_its_scheduler_is_not_written_as_a_sampler(tmp_path: Path):
    model = make_checkpoint(tmp_path / "plain.safetensors")
    with pytest.raises(ValueError, match="has a scheduler: `scheduler: karras`"):
        write_sidecar(model, {"sampler": "DPM++ 2M Karras"})


def test_a_sidecar_may_say_sampler_and_scheduler_in_one_line(tmp_path: Path):
    model = make_checkpoint(tmp_path / "plain.safetensors")
    beside(model, ".personalq.yaml", "sampler: DPM++ 2M SDE Exponential\nclip_skip: -2\n")
    found = recommended(tmp_path, "plain")
    assert (found.sampler, found.scheduler) == ("dpmpp_2m_sde", "exponential")
    assert found.clip_skip == -2


@pytest.mark.parametrize(
    "line",
    [
        "resolution: large",
        "resolution: 12x9000",
        "steps: 0",
        "steps: 2.5",
        "cfg: much",
        "sampler: best",
        "scheduler: often",
        "clip_skip: 0",
        "clip_skip: 1.5",
    ],
)
def test_what_cannot_be_used_is_left_out_with_a_notice(tmp_path: Path, line):
    beside(make_checkpoint(tmp_path / "plain.safetensors"), ".personalq.yaml", line)
    repository = Repository.open(tmp_path, embedder=None)
    assert size(sampling(repository.cards[0], None, "final")) == (512, 512)
    assert any(
        line.partition(":")[0] in notice and "not used" in notice for notice in repository.notices
    )


@pytest.mark.parametrize("name", ["sdxl_turbo", "dreamshaper8LCM", "xlLightning_v2"])
def test_a_checkpoint_made_for_few_steps(name):
    found = sampling(Card("x", f"/m/{name}.safetensors", base_model="sdxl"), None, "final")
    assert (found.steps, found.cfg) == (4, 1.0)
    assert (
        found.made_for
        == f"steps, cfg, sampler: {name}, made for few steps; the rest: usual for SDXL"
    )


@pytest.mark.parametrize(
    ("name", "base_model", "expected"),
    [
        ("sd_xl_turbo_1.0", "sdxl", (4, 1.0, "euler_ancestral", "sgm_uniform")),
        ("realvisxl_lightning_5steps", "sdxl", (5, 1.0, "euler", "sgm_uniform")),
        ("dmd2_sdxl_4step", "sdxl", (4, 1.0, "lcm", "sgm_uniform")),
        ("hyper-sd15", "sd15", (8, 1.0, "euler", "sgm_uniform")),
        ("flux1-schnell-fp8", "flux1-schnell", (4, 1.0, "euler", "simple")),
        ("myflux_v2", "flux1-schnell", (4, 1.0, "euler", "simple")),
        ("flux-2-klein-4b", "flux2-klein-4b", (4, 1.0, "euler", "simple")),
        ("flux-2-klein-base-4b", "flux2-klein-4b", (20, 5.0, "euler", "simple")),
        ("z_image_turbo_bf16", "z-image-turbo", (8, 1.0, "res_multistep", "simple")),
        ("krea2_turbo_fp8", "krea2", (8, 1.0, "euler", "simple")),
    ],
)
def test_each_kind_of_checkpoint_for_few_steps(name, base_model, expected):
    found = sampling(Card("x", f"/m/{name}.safetensors", base_model=base_model), None, "final")
    assert (found.steps, found.cfg, found.sampler, found.scheduler) == expected


@pytest.mark.parametrize(
    ("name", "base_model", "expected"),
    [
        ("sdxl_lightning_8step_lora", "sdxl", (8, 1.0, "euler", "sgm_uniform")),
        ("lcm-lora-sdv1-5", "sd15", (4, 1.0, "lcm", "sgm_uniform")),
        ("Hyper-SDXL-8steps-lora", "sdxl", (8, 1.0, "euler", "sgm_uniform")),
        ("Hyper-SDXL-12steps-CFG-lora", "sdxl", (12, 5.0, "euler", "sgm_uniform")),
        ("Qwen-Image-Lightning-4steps-V1.0", "qwen-image", (4, 1.0, "euler", "simple")),
        ("FLUX.1-Turbo-Alpha", "flux1", (8, 1.0, "euler", "simple")),
        ("wan2.2_t2v_lightx2v_4steps_lora_v1.1", "wan22-14b", (4, 1.0, "euler", "simple")),
    ],
)
def test_a_lora_for_few_steps_that_is_used_together_decides(name, base_model, expected):
    bear = Card(
        "b", "/m/bear.safetensors", "lora", base_model=base_model, steps=40, sampler="ddim", cfg=9.0
    )
    fast = Card("f", f"/m/{name}.safetensors", "lora", base_model=base_model)
    plain = Card("p", "/m/plain.safetensors", base_model=base_model, steps=50)
    found = sampling(bear, plain, "final", [fast])
    assert (found.steps, found.cfg, found.sampler, found.scheduler) == expected
    assert f"steps, cfg, sampler: {name}, made for few steps" in found.made_for


@pytest.mark.parametrize("name", ["lightning_bolt", "turbo_car_v2", "anna_lightning-step00004000"])
def test_a_lora_that_only_draws_what_such_models_are_called_decides_nothing(name):
    drawn = Card("f", f"/m/{name}.safetensors", "lora", base_model="sdxl")
    assert sampling(drawn, None, "final").steps == 25


def test_a_checkpoint_for_few_steps_is_not_asked_for_more_by_pictures_of_other_checkpoints():
    seen = {"steps": "example pictures", "cfg": "example pictures"}
    lora = Card("l", "/m/bear.safetensors", "lora", steps=30, cfg=7.0, sources=seen)
    turbo = Card("t", "/m/sdxl_turbo.safetensors", base_model="sdxl", steps=6, sources=seen)
    found = sampling(lora, turbo, "final")
    assert (found.steps, found.cfg) == (6, 1.0)


def test_a_lora_that_draws_lightning_is_not_made_for_few_steps():
    lora = Card(
        "x",
        "/m/lightning_bolt.safetensors",
        "lora",
        description="Works with LCM, too.",
        base_model="sd15",
    )
    assert sampling(lora, None, "final").steps == 25
    assert sampling(lora, Card("b", "/m/sd15.safetensors"), "final").steps == 25
    assert sampling(lora, Card("b", "/m/sd15_turbo.safetensors"), "final").steps == 4


def test_a_preview_takes_fewer_steps_than_the_card_says():
    card = Card("x", "/m/x.safetensors", steps=40)
    assert [sampling(card, None, stage).steps for stage in ("final", "preview")] == [40, 12]
    assert sampling(Card("x", "/m/x.safetensors", steps=8), None, "preview").steps == 8


def test_a_file_that_is_no_model_has_no_card(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("nothing")
    assert card_of_file(str(tmp_path / "notes.txt")) is None
