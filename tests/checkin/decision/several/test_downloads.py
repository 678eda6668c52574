"""Test requests for several models as people download them: characters, sliders and looks."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
BASES = {"illustrious": "Illustrious", "pony": "Pony"}
MODELS = (
    ("frieren_il_v1", "illustrious", "Frieren - Sousou no Frieren", "frieren", "character"),
    ("frieren-pdxl-v1", "pony", "Frieren (PonyXL)", "sfr1eren", "character"),
    (
        "Fern_Sousou_no_Frieren-ILXL",
        "illustrious",
        "Fern | Sousou no Frieren",
        "fern (sousou no frieren)",
        "character",
    ),
    ("yor-forger-il", "illustrious", "Yor Forger", "yor briar", "character"),
    ("age_slider_pony_v1", "pony", "Age Slider", "", "slider"),
    ("StS_Age_Slider_Illustrious_v1", "illustrious", "StS Age Slider", "", "slider"),
    ("90s_Retro_Anime_illu_v3", "illustrious", "90s Retro Anime", "retro artstyle", "style"),
    ("90s_retro_pony", "pony", "90s Retro", "r3tro, anime", "style"),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    for number, model in enumerate(MODELS):
        download(folder, number, *model)
    return Repository.open(folder, embedder=None)


def download(folder: Path, number: int, name: str, base: str, title: str, words: str, tag: str):
    about = {
        "id": number,
        "name": "v1",
        "baseModel": BASES[base],
        "trainedWords": [words] * bool(words),
    }
    about |= {"createdAt": "2025-02-11T00:00:00Z"}
    about["model"] = {"name": title, "type": "LORA", "tags": [tag, "anime"]}
    make.beside(make.make_lora(folder / f"{name}.safetensors", "sdxl"), ".civitai.info", about)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("frieren and fern at a lake", {"frieren_il_v1", "Fern_Sousou_no_Frieren-ILXL"}),
        ("fern next to frieren", {"frieren_il_v1", "Fern_Sousou_no_Frieren-ILXL"}),
        ("fern at a lake", {"Fern_Sousou_no_Frieren-ILXL"}),
        ("yor with age slider", {"yor-forger-il", "StS_Age_Slider_Illustrious_v1"}),
        ("frieren in pony, retro anime", {"frieren-pdxl-v1", "90s_retro_pony"}),
        ("yor on stage", {"yor-forger-il"}),
    ],
)
def test_what_is_named_is_taken_for_one_family(repository, request_text: str, names: set[str]):
    decision = check_in(request_text, repository, now=NOW)
    assert {card.name for card in decision.cards} == names, decision.why
    assert not [one for one in decision.notices if "load together" in one]


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("pistaq watercolor", {"pistaq_cat_xl", "watercolor_v2"}),
        ("watercolor pistaq", {"pistaq_cat_xl", "watercolor_v2"}),
        ("gerolt movie poster", {"gerolt_hunter_xl", "movie_poster_xl"}),
        ("pistaq in a box", {"pistaq_cat_xl"}),
    ],
)
def test_a_name_and_a_look_side_by_side(tmp_path: Path, request_text: str, names: set[str]) -> None:
    own(tmp_path, "pistaq_cat_xl", 10, "pistaq cat")
    downloaded(tmp_path, "gerolt_hunter_xl", "Gerolt", ["character"], "g3rolt")
    downloaded(tmp_path, "watercolor_v2", "Watercolor", ["style"], "watercolor painting")
    downloaded(tmp_path, "movie_poster_xl", "Movie poster", ["concept"], "movie poster")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert {card.name for card in decision.cards} == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("kiriq in that cape I downloaded", {"kiriq_v2", "hero_cape_v1"}),
        ("paper cutout, the downloaded one, for kiriq", {"kiriq_v2", "paper_cutout_v1"}),
        ("kiriq in that cape", {"kiriq_v2", "hero_cape_v1"}),
    ],
)
def test_what_was_downloaded_is_said_of_one_model(
    tmp_path: Path, request_text: str, names: set[str]
):
    own(tmp_path, "kiriq_v2", 10, "kiriq girl")
    own(tmp_path, "paper_cutout_mine", 900, "ppct style")
    downloaded(tmp_path, "hero_cape_v1", "Hero cape", ["clothing"], "hero cape")
    downloaded(tmp_path, "paper_cutout_v1", "Paper cutout", ["style"], "paper cutout")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert {card.name for card in decision.cards} == names, decision.why
