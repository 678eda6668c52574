"""Test size, steps and guidance: from the card, else those of the base model."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Card, Repository
from personalq.checkin.decision.sampling import Sampling, sampling
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
    ("base_model", "side", "cfg"),
    [
        ("sd15", 512, 7.0),
        ("sd2", 768, 7.0),
        ("sdxl", 1024, 7.0),
        ("pony", 1024, 7.0),
        ("noobai", 1024, 7.0),
        ("flux1-krea", 1024, 1.0),
        (None, 1024, 7.0),
    ],
)
def test_without_a_word_it_is_what_the_base_model_was_made_for(base_model, side, cfg):
    found = sampling(Card("x", "/m/x.safetensors", base_model=base_model), None, "final")
    assert (size(found), found.steps, found.cfg) == ((side, side), 25, cfg)


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
    assert found.made_for == "SD 1.5, the card of bear, the card of plain"


def test_what_is_said_can_be_written(tmp_path: Path):
    model = make_checkpoint(tmp_path / "plain.safetensors")
    write_sidecar(model, {"resolution": "512", "steps": 30, "cfg": 6.5})
    card = card_of_file(str(model))
    assert card is not None
    assert (card.resolution, card.steps, card.cfg) == ("512x512", 30, 6.5)


@pytest.mark.parametrize(
    "line", ["resolution: large", "resolution: 12x9000", "steps: 0", "steps: 2.5", "cfg: much"]
)
def test_what_cannot_be_used_is_left_out_with_a_notice(tmp_path: Path, line):
    beside(make_checkpoint(tmp_path / "plain.safetensors"), ".personalq.yaml", line)
    repository = Repository.open(tmp_path, embedder=None)
    assert size(sampling(repository.cards[0], None, "final")) == (512, 512)
    assert any(
        line.partition(":")[0] in notice and "not used" in notice for notice in repository.notices
    )


@pytest.mark.parametrize("name", ["sdxl_turbo", "dreamshaper8LCM", "xlLightning_v2", "hyper-sd15"])
def test_a_checkpoint_made_for_few_steps(name):
    found = sampling(Card("x", f"/m/{name}.safetensors", base_model="sdxl"), None, "final")
    assert (found.steps, found.cfg) == (4, 1.0)


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
