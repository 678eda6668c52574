"""Test requests for models that are told apart by a number, or called in one word."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "class08_shunter", 10, "gronk locomotive")
    own(folder, "class37_blue", 20, "trctr locomotive")
    own(folder, "job03_bottle", 30, "jbthree bottle")
    own(folder, "40_green_v1", 30, "brsh locomotive")
    own(folder, "40_green_v2", 40, "brsh locomotive")
    own(folder, "40_ews_v1", 30, "wsls locomotive")
    own(folder, "40_ews_v2", 40, "wsls locomotive")
    own(folder, "fiver_45157_v1", 60, "fvrone locomotive")
    own(folder, "fiver_45157_v2", 80, "fvrone locomotive")
    own(folder, "fiver_44871_v1", 70, "fvrtwo locomotive")
    own(folder, "glen_douglas_256_v1", 60, "glndgls locomotive")
    own(folder, "amateurphoto_v6", 50, "amtrpht style")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("my class 08 on a stone train", ["class08_shunter"]),
        ("class 37 in the snow", ["class37_blue"]),
        ("my class 66 on a stone train", []),
        ("job 03 on a white table", ["job03_bottle"]),
        ("job 04 on a white table", []),
        ("ews 40 version 1, next to a wall", ["40_ews_v1"]),
        ("40 along the coast at sunset. not the ews one", ["40_green_v2"]),
        ("class 37 amateur photo, in the snow", ["class37_blue", "amateurphoto_v6"]),
        ("an amateur Photo", ["amateurphoto_v6"]),
        ("glen douglas, no. 256, in the snow", ["glen_douglas_256_v1"]),
        ("45157 in the snow", ["fiver_45157_v2"]),
        ("fiver 44871 in the snow", ["fiver_44871_v1"]),
        ("44871 and 45157 in the snow", ["fiver_44871_v1", "fiver_45157_v2"]),
        ("the glen at the station, wet cobbles, early morning", ["glen_douglas_256_v1"]),
        ("fiver 44871 on glen coe", ["fiver_44871_v1"]),
        ("fiver 44871 on glen douglas", ["fiver_44871_v1", "glen_douglas_256_v1"]),
        ("glen douglas no. 1 in the snow", ["glen_douglas_256_v1"]),
    ],
)
def test_a_name_with_another_number_is_another_model(repository, request_text, names) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("splash 2500", "splash_v1_000002500"),
        ("splash 2500, a head bursting in colour", "splash_v1_000002500"),
        ("splash 1500", "splash_v1_000001500"),
        ("splash epoch 2500", "splash_v1_000002500"),
        ("splash after 2500 steps", "splash_v1_000002500"),
        ("studio 2500", "studio_000002500"),
    ],
)
def test_a_number_is_also_after_how_many_steps_a_build_was_saved(tmp_path, request_text, name):
    for day, file in enumerate(("splash_v1_000001500", "splash_v1_000002500", "splash_v1")):
        own(tmp_path, file, 10 + day, "splsh style")
    own(tmp_path, "studio_000002500", 20, "stdq room")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == [name], decision.why
    assert not decision.notices


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("tomas v1", "tomas_il-000010"),
        ("tomas v2", "tomas_il_v2"),
        ("bruno v1", "bruno"),
    ],
)
def test_the_first_build_needs_no_number(tmp_path, request_text, name) -> None:
    for day, file in enumerate(
        ("tomas_il-000010", "bruno-000004", "bruno", "tomas_il_v2", "bruno_v2")
    ):
        own(tmp_path, file, 10 + day, f"{file[:3]}q man")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == [name], decision.why


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("a bear as a 2 colour screenprint", "screenprint_2col"),
        ("a bear as a three-color screenprint", "screenprint_3col"),
        ("screenprint 2col, a bear", "screenprint_2col"),
    ],
)
def test_a_number_of_colours_tells_models_apart(tmp_path, request_text, name) -> None:
    for day, file in enumerate(("screenprint_2col", "screenprint_3col")):
        own(tmp_path, file, 10 + day, "scrpr style")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == [name], decision.why
