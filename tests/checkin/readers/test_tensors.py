"""Test what the tensors of a model say, with its file's name where they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Card, Repository
from personalq.tests.checkin import make_files as make


def only_card(folder: Path) -> Card:
    (card,) = Repository.open(folder, embedder=None).cards
    return card


@pytest.mark.parametrize(
    ("name", "base_model", "expected"),
    [
        ("ponyDiffusionV6XL_v6StartWithThisOne", "sdxl", "pony"),
        ("cyberrealisticPony_v130", "sdxl", "pony"),
        ("waiNSFWIllustrious_v110", "sdxl", "illustrious"),
        ("noobaiXLNAIXL_vPred10Version", "sdxl", "noobai"),
        ("juggernautXL_ragnarokBy", "sdxl", "sdxl"),
        ("ponyRealism_old", "sd15", "sd15"),
    ],
)
def test_a_checkpoints_name_tells_which_sdxl_it_is(tmp_path, name, base_model, expected):
    make.make_checkpoint(tmp_path / f"{name}.safetensors", base_model)
    assert only_card(tmp_path).base_model == expected


@pytest.mark.parametrize(
    ("name", "trained_on", "expected"),
    [
        ("marceline_ponyXL_v1", "", "pony"),
        ("glow-pdxl", "", "pony"),
        ("MikuILXL", "", "sdxl"),  # not a word of its own
        ("miku_ilxl_v2", "", "illustrious"),
        ("muscle_slider_pony", "", "pony"),
        ("brannoch-pony-v2.1", "", "pony"),
        ("rook_il_v2", "", "illustrious"),
        ("my_pony", "", "sdxl"),
        ("pony_in_a_field", "", "sdxl"),
        ("snailXL", "", "sdxl"),
        ("seren_pony_xl", "", "sdxl"),  # an animal
        ("my_ponyXL", "sd_xl_base_1.0.safetensors", "sdxl"),
    ],
)
def test_a_loras_name_tells_it_where_its_trainer_does_not(tmp_path, name, trained_on, expected):
    header = {"ss_sd_model_name": trained_on} if trained_on else {}
    make.make_lora(tmp_path / f"{name}.safetensors", "sdxl", header)
    assert only_card(tmp_path).base_model == expected


@pytest.mark.parametrize(
    ("folder", "trained_on", "expected"),
    [
        ("illustrious", "", "illustrious"),
        ("Pony/styles", "", "pony"),
        ("Noob AI", "", "noobai"),
        ("ponies", "", "sdxl"),
        ("noob/loras", "", "sdxl"),  # a user of that name
        ("illustrious", "sd_xl_base_1.0.safetensors", "sdxl"),
    ],
)
def test_a_folder_tells_it_where_nothing_else_does(tmp_path, folder, trained_on, expected):
    header = {"ss_sd_model_name": trained_on} if trained_on else {}
    make.make_lora(tmp_path / folder / "anna.safetensors", "sdxl", header)
    assert only_card(tmp_path).base_model == expected


def test_a_folder_of_checkpoints_tells_which_sdxl_they_are(tmp_path):
    make.make_checkpoint(tmp_path / "illustrious" / "annamix_v2.safetensors", "sdxl")
    assert only_card(tmp_path).base_model == "illustrious"


def test_quantized_weights_that_were_stored_are_no_model(tmp_path):
    make.make_checkpoint(tmp_path / "checkpoints" / "bear.safetensors")
    stored = tmp_path / "personalq" / "a7bca857-w8.safetensors"
    make.make_checkpoint(stored, metadata={"personalq": '{"bits": 8}'})
    assert only_card(tmp_path).name == "bear"
