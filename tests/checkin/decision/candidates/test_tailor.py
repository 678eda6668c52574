"""Test requests of a tailor to her mother's, her son's and her fabrics' models."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "mummy_xl", 10, "mumtl woman")
    own(folder, "mummy_xl_v2", 100, "mumtl woman")
    own(folder, "mummy_xl_v3", 200, "mumtl woman")
    own(folder, "ayo_xl", 60, "ayotl boy")
    own(folder, "ayo_5yrs_xl", 30, "ayotl boy")
    own(folder, "ankara_peacock_xl", 40, "tlpeacock fabric")
    own(folder, "bisi_sd", 50, "bisitl woman", base="sd15")
    make.beside(
        folder / "mummy_xl_v3.safetensors",
        ".personalq.yaml",
        json.dumps({"names": ["iya mi", "maami"]}),
    )
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("mummy, the old one, at a wedding", ["mummy_xl"]),
        ("ayo, the old one, at a wedding", ["ayo_xl"]),
        ("mummy, not the old one, at a wedding", ["mummy_xl_v3"]),
        ("mumy at a wedding", ["mummy_xl_v3"]),
        ("ayo at 5 for a birthday photo", ["ayo_5yrs_xl"]),
        ("ayo at 5.", ["ayo_5yrs_xl"]),
        ("ayo at 5:30 in the morning", ["ayo_xl"]),
        ("ayo at 5pm", ["ayo_xl"]),
        ("omo mi ayo at a wedding", ["ayo_xl"]),
        ("iya mi at a wedding", ["mummy_xl_v3"]),
        ("maami and ayo at a wedding", ["mummy_xl_v3", "ayo_xl"]),
    ],
)
def test_the_models_that_are_meant(repository, request_text: str, names: list[str]) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize("request_text", ["bisi in ankara peacock", "mummy and bisi at a party"])
def test_who_is_there_for_another_base_model_is_said(repository, request_text: str) -> None:
    decision = check_in(request_text, repository, now=NOW, base_model="sdxl")
    assert decision.outcome == "select"
    assert decision.notices == ("bisi_sd is not used: it is for SD 1.5.",)
