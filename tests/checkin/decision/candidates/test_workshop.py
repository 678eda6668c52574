"""Test requests to a library whose names are glued, mistyped, accented or in two languages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "burek_xl_v3", 10, "burekdog")
    own(folder, "burek_sd", 5, "burekdog", base="sd15")
    own(folder, "saba_wyzel", 20, "sabawyzel")
    own(folder, "saba_new", 30, "sabadog")
    own(folder, "ania_v4", 31, "aniaw woman")
    own(folder, "kuba_xl", 32, "kubaw man")
    own(folder, "michal_v2", 33, "michalw man")
    own(folder, "michal_sd-000006", 60, "michalw man", base="sd15")
    own(folder, "church_stone", 34, "chrst church")
    own(folder, "chisles_set", 35, "chslset")
    own(folder, "kitchen_tabel_pine", 36, "ktpine")
    own(folder, "o'brien_pub", 36, "obrnpub pub")
    own(folder, "plushie_a1111", 37, "plshtoy plushie")
    own(folder, "plushie_new_new", 20, "plshtwo plushie")
    own(folder, "fox_watercolour", 38, "fxwc fox, watercolor")
    (folder / "style").mkdir()
    own(folder / "style", "inkport_xl", 39, "ink portrait")
    make.make_checkpoint(folder / "realvisxlV50_v50Bakedvae.safetensors", "sdxl", {})
    make.make_checkpoint(folder / "realism_engine.safetensors", "sd15", {})
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("newest dog lora", ["saba_new"]),
        ("michal, newest", ["michal_sd-000006"]),
        ("not the sdxl burek", ["burek_sd"]),
        ("not the sdxl one, burek", ["burek_sd"]),
        ("realvis portrait of a carpenter", ["realvisxlV50_v50Bakedvae"]),
        ("set of chisels, macro", ["chisles_set"]),
        ("pine table", ["kitchen_tabel_pine"]),
        ("saba wyżeł in tall grass", ["saba_wyzel"]),
        ("the O\u2019Brien's pub at night", ["o'brien_pub"]),
        ("plushie a1111 on a shelf", ["plushie_a1111"]),
        ("plushie_new_new on a shelf", ["plushie_new_new"]),
        ("a fox in watercolour", ["fox_watercolour"]),
        ("kuba in watercolour", ["kuba_xl"]),
        ("portrait, kuba", ["kuba_xl"]),
        ("kuba, portrait", ["kuba_xl"]),
        ("ink portrait of kuba", ["inkport_xl", "kuba_xl"]),
        ("a watercolour of michal, newest", ["michal_sd-000006"]),
    ],
)
def test_the_model_that_is_meant(repository, request_text: str, names: list[str]) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


def test_a_name_of_two_words_is_no_mistyped_look(tmp_path) -> None:
    own(tmp_path, "flux_realism", 5, "rlsm style")
    make.make_checkpoint(tmp_path / "RealVisXL_V5.0_fp16.safetensors", "sdxl", {})
    here = Repository.open(tmp_path, embedder=None)
    decision = check_in("realvis, a bridge at sunrise", here, now=NOW)
    assert [card.name for card in decision.cards] == ["RealVisXL_V5.0_fp16"], decision.why


def test_a_dog_is_one_of_those_whose_trigger_ends_in_it(repository) -> None:
    question = check_in("my dog on a sofa", repository, now=NOW).question
    assert question
    assert [choice.label for choice in question.choices] == ["saba", "burek"]


def test_beside_three_models_a_further_one_is_offered(repository) -> None:
    request = "ania, kuba and michal in front of the church"
    decision = check_in(request, repository, now=NOW)
    assert len(decision.cards) == 3
    assert [one.card.name for one in decision.additions] == ["church_stone"]


def test_a_thing_in_a_style_is_not_drawn_as_another_thing_of_that_style(repository) -> None:
    decision = check_in("a taxi in watercolour", repository, now=NOW)
    assert decision.outcome == "no_match", decision.why
    assert [one.card.name for one in decision.near] == ["fox_watercolour"]


def test_a_name_with_a_number_leaves_the_prompt_whole(repository) -> None:
    decision = check_in("plushie a1111 on a shelf", repository, now=NOW)
    assert decision.prompt == "plshtoy plushie on a shelf"
    assert not decision.notices


def test_a_style_that_was_trained_as_a_thing_is_a_style(tmp_path: Path) -> None:
    """Its files say "20_crennie oil painting": that is no oil painting of something."""
    own(tmp_path, "oils_v2.1", 100, "crennie oil painting")
    own(tmp_path, "oils_v4", 200, "crennie oil painting")
    repository = Repository.open(tmp_path, embedder=None)
    for request, name in (("oils v2.1 loch", "oils_v2.1"), ("a loch in my oils", "oils_v4")):
        decision = check_in(request, repository, now=NOW)
        assert [one.name for one in decision.cards] == [name], decision.why


def test_of_two_of_one_name_the_style_that_is_said_tells(tmp_path: Path) -> None:
    own(tmp_path, "dad_kodachrome_v4", 200, "arnkd")
    own(tmp_path, "dad_hp5_bw_v1", 100, "arnhp")
    repository = Repository.open(tmp_path, embedder=None)
    decision = check_in("dad's black and white, a tenement", repository, now=NOW)
    assert [one.name for one in decision.cards] == ["dad_hp5_bw_v1"], decision.why
    assert check_in("dad's, a tenement", repository, now=NOW).outcome != "select"
