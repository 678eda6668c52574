"""Test requests to a library of garments, friends who wear them, and characters of a game."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.catalog.reference import Reference
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 11, 20, 19, tzinfo=UTC)


def described(folder: Path, name: str, trigger: str) -> None:
    """A LoRA of which the header says its trigger alone, as AI-Toolkit writes it."""
    make.make_lora(folder / f"{name}.safetensors", "sdxl", {"modelspec.trigger_phrase": trigger})


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "sips", 10, "sphsips man")
    own(folder, "kayla_xl", 11, "kylmx woman")
    own(folder, "jono_xl", 12, "jnohd man")
    own(folder, "rob_xl", 13, "robx man")
    own(folder, "gravy_xl", 14, "grvydog dog")
    own(folder, "hd_hoodie_drop1_v1", 20, "hdhood hoodie")
    own(folder, "hd_hoodie_drop2_v1", 21, "hdhoodtwo hoodie")
    own(folder, "hd_hoodie_drop2_v2", 22, "hdhoodtwo hoodie")
    own(folder, "puffer_blk_w25", 30, "hdpuff jacket")
    own(folder, "puffer_red_w26", 31, "hdpuffred jacket")
    own(folder, "halfday_logo_FINAL", 40, "hdlogo")
    own(folder, "halfday_logo_FINAL2", 41, "hdlogo")
    own(folder, "cutpaste_v1", 50, "ctpst collage")
    make.make_transformer_lora(
        folder / "cutpaste_zimg.safetensors", ["lora_unet_layers_0_attention_qkv"], 3840
    )
    described(folder, "thess_xl", "thessv, tiefling woman with purple skin, white hair and a horn")
    described(folder, "aldous_xl", "aldpen, elderly knight with a white moustache")
    described(folder, "aldous_xl_000002250", "aldpen, elderly knight with a white moustache")
    downloaded(folder, "karlach_bg3_xl_v1", "Karlach of a game", ["character"], "karlach, tiefling")
    downloaded(folder, "neon_alley_xl", "Neon Alley", ["style"], "neon alley")
    downloaded(folder, "hand_XL_v21", "Hands XL", ["tool"], "perfect hands")
    downloaded(folder, "age_slider_xl_v2", "Age Slider", ["slider"])
    downloaded(folder, "baggy_clothes_slider_xl", "Baggy Clothes", ["slider"])
    make.make_checkpoint(folder / "sd_xl_base_1.0.safetensors", "sdxl", {})
    make.make_checkpoint(folder / "juggernautXL_v9.safetensors", "sdxl", {})
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("sips in a plain white tee", ["sips"]),
        ("kayla in the rain but don't use the neon lora", ["kayla_xl"]),
        ("kayla, neon in the puddles but dont use the neon lora", ["kayla_xl"]),
        ("kayla in the rain, do not add the neon lora", ["kayla_xl"]),
        ("kayla in the rain, please never use the neon lora", ["kayla_xl"]),
        ("kayla in the rain with the neon lora", ["kayla_xl", "neon_alley_xl"]),
        ("kayla waiting to rob a bank", ["kayla_xl"]),
        ("kayla eating chips and gravy on the pier", ["kayla_xl"]),
        ("kayla and gravy eating chips on the pier", ["kayla_xl", "gravy_xl"]),
        ("kayla waiting for rob", ["kayla_xl", "rob_xl"]),
        ("karlach in my car, moody", ["karlach_bg3_xl_v1"]),
        ("kayla on the kerb, 2006 party cam w the flash", ["kayla_xl"]),
        ("jono and kayla holding hands outside a shop", ["jono_xl", "kayla_xl"]),
        ("kayla, hands in her pockets", ["kayla_xl"]),
        ("kayla with better hands", ["kayla_xl", "hand_XL_v21"]),
        ("sips in the drop 2 hoodie", ["sips", "hd_hoodie_drop2_v2"]),
        ("drop 2 hoodie v1", ["hd_hoodie_drop2_v1"]),
        ("drop 1 hoodie on a hanger", ["hd_hoodie_drop1_v1"]),
        ("black puffer on juggernaut", ["juggernautXL_v9", "puffer_blk_w25"]),
        ("jono red puffer", ["jono_xl", "puffer_red_w26"]),
        ("kayla drop 2 hoodie, hood up", ["kayla_xl", "hd_hoodie_drop2_v2"]),
        ("jono collage style", ["jono_xl", "cutpaste_v1"]),
        ("kayla neon style, at night", ["kayla_xl", "neon_alley_xl"]),
        ("gravy collage", ["gravy_xl", "cutpaste_v1"]),
        ("logo, the final final one", ["halfday_logo_FINAL2"]),
        ("collage on z image", ["cutpaste_zimg"]),
        ("collage, torn edges, zimage", ["cutpaste_zimg"]),
        ("collage on zimg", ["cutpaste_zimg"]),
        ("kayla since she had her hair chopped", ["kayla_xl"]),
        ("the knight with the moustache", ["aldous_xl"]),
        ("aldous but the 2250 one", ["aldous_xl_000002250"]),
        ("aldous at step 2250, the final one came out waxy", ["aldous_xl_000002250"]),
        ("the final aldous on a hill", ["aldous_xl"]),
        ("aldous, plain sdxl base", ["sd_xl_base_1.0", "aldous_xl"]),
        (
            "baggy slider way up on sips in the drop 2 hoodie",
            ["baggy_clothes_slider_xl", "sips", "hd_hoodie_drop2_v2"],
        ),
    ],
)
def test_the_models_that_are_meant(repository, request_text: str, names: list[str]) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize(
    "request_text",
    ["kayla's cat pickle on the windowsill", "kaylas cat pickle on the windowsill"],
)
def test_an_owner_is_not_what_is_drawn(repository, request_text: str) -> None:
    assert check_in(request_text, repository, now=NOW).outcome == "no_match"


def test_no_checkpoint_is_what_was_downloaded(repository) -> None:
    decision = check_in("that one off the internet. sdxl", repository, now=NOW)
    assert decision.outcome == "clarify"


def test_a_base_model_is_not_drawn_with_where_a_control_net_is_asked_for(repository) -> None:
    decision = check_in("depth controlnet for sdxl", repository, now=NOW)
    assert decision.outcome == "no_match"
    assert "no files of other kinds" in decision.why


def test_a_name_that_is_not_wanted_does_not_come_back(repository) -> None:
    decision = check_in("a tiefling for a commission, NOT thess", repository, now=NOW)
    offered = decision.question.choices if decision.question else ()
    shown = [*decision.cards, *(card for one in offered for card in one.cards)]
    shown += [miss.card for miss in decision.near]
    assert "thess_xl" not in [card.name for card in shown]


@pytest.mark.parametrize(
    ("request_text", "prompt"),
    [
        ("kayla in the rain, do not add the neon lora", "kylmx woman in the rain"),
        ("kayla in the rain, please never use the neon lora", "kylmx woman in the rain"),
        ("kayla since she had her hair cut", "kylmx woman since she had her hair cut"),
    ],
)
def test_what_is_not_wanted_is_not_drawn(repository, request_text: str, prompt: str) -> None:
    assert check_in(request_text, repository, now=NOW).prompt == prompt


def test_me_may_be_one_of_the_users_own_people(repository) -> None:
    decision = check_in("me in the park", repository, now=NOW)
    assert decision.why == "There is no 'me' here."
    assert {"rob_xl"} < {miss.card.name for miss in decision.near}
    picked = next(miss.card for miss in decision.near if miss.card.name == "rob_xl")
    decision = check_in("me in the park", repository, now=NOW, chosen=Reference.of(picked))
    assert [card.name for card in decision.cards] == ["rob_xl"]
    assert decision.offered_name == "me"


def test_it_is_said_that_me_is_nobody_here(repository) -> None:
    decision = check_in("me and kayla as a pair of pirates", repository, now=NOW)
    assert [card.name for card in decision.cards] == ["kayla_xl"]
    assert decision.notices == ("Not used to choose the model: 'me'.",)
