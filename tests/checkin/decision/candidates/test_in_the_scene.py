"""Test requests that begin with the scene: "a street where juno walks"."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "junowa_v1", 10, "junowa cat")
    own(folder, "junowa_v2", 90, "junowa cat")
    own(folder, "oma_solvei", 20, "solveiq woman")
    own(folder, "moss", 30, "mossq dog")
    own(folder, "inkport_style", 40, "inkport style")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("a picture where junowa sleeps", ["junowa_v2"]),
        ("a street on which junowa walks", ["junowa_v2"]),
        ("an empty street with junowa walking in the rain", ["junowa_v2"]),
        ("a mug with junowa printed on it", ["junowa_v2"]),
        ("a street where solvei walks with an umbrella", ["oma_solvei"]),
        ("a street where moss walks", ["moss"]),
        ("a rock with moss on it", []),  # which grows there
        ("my street where junowa walks", []),  # which somebody trained
        ("the mug with junowa printed on it", []),
        ("dancing on a stage, junowa", ["junowa_v2"]),
        ("a street where nobody walks", []),
    ],
)
def test_a_name_in_the_scene_is_the_model(repository, request_text: str, names: list[str]) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why
