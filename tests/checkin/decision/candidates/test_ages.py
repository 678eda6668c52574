"""Test requests that say how old somebody is, of whom there are models of several ages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "ada_age4_sdxl", 10, "adaok girl")
    own(folder, "ada_age6_sdxl", 20, "adaok girl")
    own(folder, "ada_8_sdxl", 30, "adaok girl")
    own(folder, "rosie4", 15, "rosok girl")
    own(folder, "rosie_6_sdxl", 35, "rosok girl")
    own(folder, "mabel_v2", 40, "mabl dog")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("Ada at six on the rug with Mabel", ["ada_age6_sdxl", "mabel_v2"]),
        ("Ada when she was about four, jumping in a puddle", ["ada_age4_sdxl"]),
        ("Ada at eight, jumping in a puddle", ["ada_8_sdxl"]),
        ("Rosie when she was four, with Mabel", ["rosie4", "mabel_v2"]),
        ("Rosie, age 6, on the rug", ["rosie_6_sdxl"]),
        ("Mabel at six in the morning", ["mabel_v2"]),
        ("Mabel when she was two", ["mabel_v2"]),
    ],
)
def test_the_model_of_that_age(repository, request_text: str, names: list[str]) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("mabel as a puppy on the step", ["mabel_puppy"]),
        ("mabel when she was a puppy, on the step", ["mabel_puppy"]),
        ("mabel back when she was still a puppy", ["mabel_puppy"]),
        ("chidi as a baby fast asleep", ["chidi_baby"]),
        ("mabel on the step when it was dark", ["mabel_xl"]),
        ("chidi fast asleep", ["chidi_4_xl"]),
    ],
)
def test_an_earlier_time_is_a_form_of_the_same(tmp_path: Path, request_text, names) -> None:
    own(tmp_path, "mabel_puppy", 10, "mabldog dog")
    own(tmp_path, "mabel_xl", 50, "mabldog dog")
    own(tmp_path, "chidi_baby", 20, "chdok baby")
    own(tmp_path, "chidi_4_xl", 60, "chdok boy")
    own(tmp_path, "wilf_newborn", 40, "wlfok baby")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == names, decision.why
