"""Test LoRAs for Wan 2.2 14B, of which each is two files: for high noise and for low noise."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.connected import ConnectedModel
from personalq.checkin.catalog.file_names import noise_of
from personalq.checkin.catalog.reference import Reference
from personalq.tests.checkin import make_files as make


def connected(name: str) -> ConnectedModel:
    return ConnectedModel(Card(name, base_model="wan22-14b"), "wan22-14b")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("loras")
    for name in (
        "kojo_wan22_000002000_high_noise",
        "kojo_wan22_000002000_low_noise",
        "wan22_crash_zoom_HIGH",
        "wan22_crash_zoom_LOW",
        "splash_wan22_high_noise",
    ):
        layers = ["lora_unet_blocks_0_cross_attn_q"]
        make.make_transformer_lora(folder / f"{name}.safetensors", layers, 5120)
    make.make_lora(folder / "high_contrast_kojo_xl.safetensors", "sdxl", {})
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "model", "name"),
    [
        ("kojo at the sea, wan", None, "kojo_wan22_000002000_low_noise"),
        ("crash zoom", None, "wan22_crash_zoom_LOW"),
        ("crash zoom", connected("wan2.2_i2v_high_noise_14B_fp16"), "wan22_crash_zoom_HIGH"),
        ("crash zoom", connected("wan2.2_i2v_low_noise_14B_fp16"), "wan22_crash_zoom_LOW"),
        ("splash", None, "splash_wan22_high_noise"),  # it has no other half
    ],
)
def test_the_half_for_the_model_that_runs_is_taken_without_a_question(
    library, request_text, model, name
):
    decision = check_in(request_text, library, connected=model)
    assert [card.name for card in decision.cards] == [name], decision.why


def test_a_half_is_not_said_to_be_one_of_two_builds(library):
    why = check_in("crash zoom", library).why
    assert "the only one, its half for low noise, from" in why
    assert "half" not in check_in("splash", library).why


def test_the_other_half_is_there_to_be_picked(library):
    decision = check_in("crash zoom", library, chosen=Reference("wan22_crash_zoom_HIGH"))
    assert [card.name for card in decision.cards] == ["wan22_crash_zoom_HIGH"]


@pytest.mark.parametrize(
    ("name", "half"),
    [
        ("wan2.2_t2v_lightx2v_4steps_lora_v1.1_high_noise", "high"),
        ("livewallpaper_wan22_14b_i2v_low_model_0_1_e26", "low"),
        ("Wan22_Orbit-LOW", "LOW"),
        ("film_low_noise_xl", "low"),
        ("high_contrast_xl", None),
        ("highway_wan", None),
    ],
)
def test_file_names_say_which_half_they_are(name, half):
    found = noise_of(name)
    assert (found[1] if found else None) == half
