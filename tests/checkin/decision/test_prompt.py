"""Test where the triggers stand in the prompt of a decision, and what of the request stays."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
_FILE = Path(__file__).with_name("prompt_requests.txt")
REQUESTS = [
    [part.strip() for part in line.split(" | ")]
    for line in _FILE.read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("prompts")
    own(folder, "nelson_xl_v3", 10, "nlsncat", "cat, siamese")
    own(folder, "mothboy_xl", 11, "tobi moth", "moth")
    own(folder, "akari_hoshino_xl", 12, "akari hoshino", "woman")
    own(folder, "horrible_little_man", 13, "hlm", "man")
    own(folder, "nora+finn_xl", 14, "norafinn", "girl, boy")
    own(folder, "kev_me_xl", 15, "kvme man", "man")
    own(folder, "sketchbook_xl", 16, "dnsketch", "sketch")
    own(folder, "storybook_tom", 17, "tmstory", "illustration")
    own(folder, "geralt_of_rivia_xl", 19, "geralt of rivia", "man")
    own(folder, "crumpet_xl", 18, "crmptgp guinea pig", "straw")
    downloaded(folder, "polaroid_xl", "Polaroid", ["style", "photography"], "polaroid photo")
    downloaded(folder, "add-detail-xl", "Detail Tweaker XL", ["tool", "detail"])
    downloaded(folder, "sdxl_lightning_4step_lora", "SDXL Lightning", ["base model"])
    own(folder, "pickles_xl", 20, "p1ckles goat")
    downloaded(folder, "FilmGrain_Portra400", "Portra", ["style", "film"], "portra400 film photo")
    downloaded(folder, "RembrandtLightingXL", "Rembrandt", ["style"], "rembrandt lighting")
    downloaded(folder, "asuna_xl", "Asuna", ["character"], "long hair, 1girl")
    checkpoint = make.make_checkpoint(folder / "juggernautXL_ragnarok.safetensors", "sdxl")
    site = {"id": 7, "baseModel": "SDXL 1.0", "model": {"name": "Juggernaut XL", "tags": []}}
    make.beside(checkpoint, ".civitai.info", site)
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(("request_", "expected"), REQUESTS)
def test_the_prompt(repository: Repository, request_: str, expected: str) -> None:
    assert check_in(request_, repository, now=NOW, what_fits=True).prompt == expected


@pytest.mark.parametrize("request_", [row[0] for row in REQUESTS])
def test_the_pieces_are_the_prompt_and_the_words_that_are_left_out(repository, request_) -> None:
    decision = check_in(request_, repository, now=NOW, what_fits=True)
    assert "".join(one.text for one in decision.pieces if not one.left_out) == decision.prompt
    assert all(one.text in request_ for one in decision.pieces if one.left_out)


def test_the_name_of_a_checkpoint_that_the_user_trained_is_drawn(tmp_path: Path) -> None:
    made = {"ss_output_name": "zabka_v2", "ss_network_module": "", "ss_sd_model_name": "sdxl"}
    for name, said in (("zabka_v2", made), ("mothkin", None)):  # of the second nobody knows
        make.make_checkpoint(tmp_path / f"{name}.safetensors", "sdxl", said)
    repository = Repository.open(tmp_path, embedder=None)
    assert check_in("zabka on a pond", repository, now=NOW).prompt == "zabka on a pond"
    assert check_in("mothkin on a pond", repository, now=NOW).prompt == "mothkin on a pond"


def test_a_lone_english_word_that_names_a_checkpoint_stays(tmp_path: Path) -> None:
    make.make_checkpoint(tmp_path / "anna.safetensors", "sdxl")
    repository = Repository.open(tmp_path, embedder=None)
    assert check_in("anna at the sea", repository, now=NOW).prompt == "anna at the sea"


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("cute creatures having a picnic", "cute creatures having a picnic"),
        ("the cute creatures checkpoint, an old tower", "an old tower"),
    ],
)
def test_the_name_of_a_checkpoint_that_may_be_drawn_stays(tmp_path, request_, expected) -> None:
    checkpoint = make.make_checkpoint(tmp_path / "cuteCreaturesXL_v2.safetensors", "sdxl")
    site = {"id": 7, "baseModel": "SDXL 1.0", "model": {"name": "Cute Creatures", "tags": ["cute"]}}
    make.beside(checkpoint, ".civitai.info", site)
    repository = Repository.open(tmp_path, embedder=None)
    assert check_in(request_, repository, now=NOW).prompt == expected


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A bear in two looks."""
    folder = tmp_path_factory.mktemp("looks")
    for name, look in (("toonbear", "cartoon"), ("realbear", "realistic")):
        model = make.make_lora(folder / f"{name}.safetensors", "sdxl", {})
        about = f"subjects: [bear]\nstyles: [{look}]\ntriggers: [<{name}>]\n"
        make.beside(model, ".personalq.yaml", about)
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "prompt"),
    [
        (
            "a realistic bear and a cartoon bear on ice",
            "a realistic <realbear> and a cartoon <toonbear> on ice",
        ),
        (
            "cartoon bear next to a realistic bear",
            "cartoon <toonbear> next to a realistic <realbear>",
        ),
    ],
)
def test_a_look_tells_which_of_two_is_meant(looks, request_text, prompt) -> None:
    assert check_in(request_text, looks, now=NOW).prompt == prompt


@pytest.mark.parametrize(
    ("request_", "prompt"),
    [("bear 2 on ice", "<plush2> on ice"), ("bear 2 balloons", "<plush2> 2 balloons")],
)
def test_a_bare_number_that_is_the_version_is_not_drawn(tmp_path, request_, prompt) -> None:
    for number in (1, 2):
        model = make.make_lora(tmp_path / f"plush_bear_v{number}.safetensors", "sdxl", {})
        about = f"subjects: [bear]\ntriggers: [<plush{number}>]\nversion: {number}\n"
        make.beside(model, ".personalq.yaml", about)
    repository = Repository.open(tmp_path, embedder=None)
    assert check_in(request_, repository, now=NOW).prompt == prompt
