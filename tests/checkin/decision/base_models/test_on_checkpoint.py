"""Test that a checkpoint is used that a request names by a variant of its base model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import own

CARDS = [
    Card("flux1-dev-fp8", kind="checkpoint", base_model="flux1"),
    Card("flux1-schnell-fp8", kind="checkpoint", base_model="flux1-schnell"),
    Card("ponyDiffusionV6XL", kind="checkpoint", base_model="pony"),
    Card("juggernautXL", kind="checkpoint", base_model="sdxl"),
    Card("pip_flux", kind="lora", base_model="flux1", triggers=("pipq dog",)),
    Card("pip_xl", kind="lora", base_model="sdxl", triggers=("pipq dog",)),
    Card("gouache_flux", kind="lora", base_model="flux1", triggers=("gchx style",)),
    Card("neotrad_pony", kind="lora", base_model="pony", triggers=("neotrad",)),
]


def taken(request_text: str) -> list[str]:
    return [one.name for one in check_in(request_text, Repository(CARDS, embedder=None)).cards]


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("pip on flux dev, in the snow", ["flux1-dev-fp8", "pip_flux"]),
        ("flux dev + pip in the snow", ["flux1-dev-fp8", "pip_flux"]),
        ("on flux dev: pip in gouache_flux", ["flux1-dev-fp8", "gouache_flux", "pip_flux"]),
        ("pip on flux schnell", ["flux1-schnell-fp8", "pip_flux"]),
        ("pip on schnell", ["flux1-schnell-fp8", "pip_flux"]),
        ("pony v6 + neotrad, a fox", ["ponyDiffusionV6XL", "neotrad_pony"]),
        ("pip in the snow, the flux one", ["pip_flux"]),  # which of pip's builds, and no more
        ("pip on flux", ["pip_flux"]),
        ("my newest lora on flux schnell", ["flux1-schnell-fp8", "gouache_flux"]),
    ],
)
def test_the_variant_that_is_named_is_used(request_text, names) -> None:
    assert taken(request_text) == names


def test_it_is_said_and_the_prompt_does_not_name_it() -> None:
    decision = check_in("flux dev + pip in the snow", Repository(CARDS, embedder=None))
    assert "flux1-dev-fp8: 'flux dev', as asked" in decision.why
    assert decision.prompt == "pipq dog in the snow"
    assert not {one.name for one in decision.others} & {one.name for one in decision.cards}


def test_loras_of_the_base_that_it_was_trained_from_are_drawn_on_noobai() -> None:
    cards = [
        Card("noobaiXLNAIXL_vPred10", kind="checkpoint", base_model="noobai"),
        Card("waiIllustriousSDXL", kind="checkpoint", base_model="illustrious"),
        Card("marit_ill", kind="lora", base_model="illustrious", triggers=("maritq woman",)),
        Card("pip_pony", kind="lora", base_model="pony", triggers=("pipq dog",)),
        Card("juno_ill", kind="lora", base_model="illustrious", triggers=("junoq cat",)),
        Card("juno_noob", kind="lora", base_model="noobai", triggers=("junoq cat",)),
        Card("anna_style", kind="lora", base_model="illustrious", origin="trained"),
    ]
    cards = [replace(one, lineage=one.name.partition("_")[0]) for one in cards]
    library = Repository(cards, embedder=None)
    for request_text in ("marit on noobai", "marit in the snow, noobai"):
        decision = check_in(request_text, library)
        assert [one.name for one in decision.cards] == ["noobaiXLNAIXL_vPred10", "marit_ill"]
    styled = check_in("marit on noobai, house style", library)
    assert {one.name for one in styled.cards[1:]} == {"marit_ill", "anna_style"}
    assert styled.card.name == "noobaiXLNAIXL_vPred10"
    assert [one.name for one in check_in("juno on noobai", library).cards] == ["juno_noob"]
    assert check_in("pip on noobai", library).outcome == "no_match"


def test_nothing_is_added_where_none_has_the_name() -> None:
    without = [one for one in CARDS if one.name != "flux1-dev-fp8"]
    decision = check_in("pip on flux dev", Repository(without, embedder=None))
    assert [one.name for one in decision.cards] == ["pip_flux"]


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("no lora just flux dev, a cabin in the woods", ["flux1-dev-fp8"]),
        ("without lora, pony, a plate of pancakes", ["ponyDiffusionV6XL"]),
        ("a plate of pancakes", []),
        ("no lora, a plate of pancakes", []),
    ],
)
def test_a_checkpoint_is_asked_for_by_its_base_model_alone(request_text, names) -> None:
    assert taken(request_text) == names


QWEN = [
    Card("qwen_image_fp8_e4m3fn", kind="checkpoint", base_model="qwen-image"),
    Card("qwen_image_2512_fp8_e4m3fn", kind="checkpoint", base_model="qwen-image"),
]


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("qwen-image, not the 2512, a shop front", "qwen_image_fp8_e4m3fn"),
        ("a shop front, qwen 2512", "qwen_image_2512_fp8_e4m3fn"),
        ("qwen 2512 a shop front", "qwen_image_2512_fp8_e4m3fn"),
    ],
)
def test_a_checkpoint_is_told_by_what_is_wanted_and_what_is_not(request_text, name) -> None:
    decision = check_in(request_text, Repository(QWEN, embedder=None))
    assert [one.name for one in decision.cards] == [name], decision.why
    assert not decision.notices, "that number was used"
    assert "2512" not in decision.prompt or "not" in request_text


def test_a_lora_is_drawn_on_the_variant_that_is_named() -> None:
    lora = Card("moss_qwen", kind="lora", base_model="qwen-image", triggers=("mssq dog",))
    library = Repository([*QWEN, lora], embedder=None)
    for said in ("on qwen 2512", "on qwen-image-2512"):
        decision = check_in(f"moss {said}, in the snow", library)
        assert [one.name for one in decision.cards] == ["qwen_image_2512_fp8_e4m3fn", "moss_qwen"]
        assert decision.prompt == "mssq dog, in the snow"


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("just juggernaut, pip in the snow", ["juggernautXL_v9"]),
        ("pip in the snow. only the juggernaut, fog", ["juggernautXL_v9"]),
        ("just pip, in the snow", ["pip_xl"]),
        ("pip on juggernaut", ["juggernautXL_v9", "pip_xl"]),
    ],
)
def test_a_checkpoint_that_is_just_named_draws_alone(tmp_path: Path, request_text, names) -> None:
    make.make_checkpoint(tmp_path / "juggernautXL_v9.safetensors", "sdxl")
    own(tmp_path, "pip_xl", 10, "pipq dog")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None))
    assert [one.name for one in decision.cards] == names, decision.why


def test_that_no_lora_is_wanted_is_not_drawn() -> None:
    decision = check_in(
        "no lora just flux dev, a cabin in the woods", Repository(CARDS, embedder=None)
    )
    assert "lora" not in (decision.prompt or "lora")
