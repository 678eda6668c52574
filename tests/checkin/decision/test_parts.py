"""Test requests that mean several models of one library."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
_FILE = Path(__file__).with_name("parts_requests.txt")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "moss_v2", 30, "mosdog collie")
    own(folder, "moss_storybook", 31, "mosbook collie")
    own(folder, "nelson_xl", 35, "nlscat cat")
    own(folder, "nan", 20, "nanwmn woman")
    own(folder, "nans_kitchen", 22, "nankit kitchen")
    own(folder, "inkwash", 23, "inkwsh style")
    own(folder, "pip", 24, "pipgrl girl")
    own(folder, "conker", 26, "cnkhorse horse")
    own(folder, "tilly", 27, "tllywmn woman")
    own(folder, "tilly_wedding", 28, "tllybride woman, bride")
    downloaded(folder, "handfixer", "Hand Fixer", ["tool"], "hand fixer")
    downloaded(folder, "ghibli_style", "Ghibli style", ["style", "anime"], "ghibli style")
    downloaded(folder, "white_background", "White background", ["background"], "white background")
    return Repository.open(folder, embedder=None)


def _requests() -> list[tuple[str, ...]]:
    lines = _FILE.read_text("utf-8").splitlines()
    return [tuple(line.split(" | ")) for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("request_text", "expected"), _requests())
def test_the_models_of_a_request(repository, request_text, expected) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert " + ".join(card.name for card in decision.cards) == expected, decision.why
