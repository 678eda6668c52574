"""Test the user's recipes: kept, changed, deleted, and read from files of other people."""

from __future__ import annotations

import json

import pytest

from personalq.checkin.user.recipes import FOLDER, MAX_NAME_CHARS, Recipe, delete, keep, recipes

TAXI = {
    "name": "My taxi",
    "request": "the checker taxi in blueprint style",
    "models": ["model: checker_taxi; strength: 0.7; kind: lora", "model: blueprint; off"],
}


def test_a_recipe_is_one_file_that_reads_back(tmp_path):
    kept = keep(tmp_path, Recipe.of(TAXI))
    (file,) = (tmp_path / FOLDER).iterdir()
    assert json.loads(file.read_text("utf-8")) == TAXI
    assert recipes(tmp_path) == [kept]
    assert [one.strength for one in kept.models.models] == [0.7, None]
    assert [one.on for one in kept.models.models] == [True, False]


def test_what_a_workflow_says_of_its_request_and_answers_is_left_out():
    lines = ["for: a taxi", "answer: the newest", *TAXI["models"]]
    assert Recipe.of({**TAXI, "models": lines}).to_json() == TAXI


def test_two_of_one_name_are_told_apart(tmp_path):
    names = [keep(tmp_path, Recipe.of(TAXI)).name for _ in range(3)]
    assert names == ["My taxi", "My taxi (2)", "My taxi (3)"]


def test_a_changed_one_stays_in_its_file(tmp_path):
    kept = keep(tmp_path, Recipe.of(TAXI))
    changed = keep(tmp_path, Recipe.of({**kept.to_json(), "name": "Night taxi"}, kept.key))
    assert recipes(tmp_path) == [changed]
    assert (changed.name, changed.key) == ("Night taxi", kept.key)


def test_a_deleted_one_is_gone(tmp_path):
    kept = keep(tmp_path, Recipe.of(TAXI))
    other = keep(tmp_path, Recipe.of({**TAXI, "name": "택시 <b>"}))
    delete(tmp_path, kept)
    assert recipes(tmp_path) == [other]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {**TAXI, "name": " "},
        {**TAXI, "name": "x" * (MAX_NAME_CHARS + 1)},
        {**TAXI, "models": []},
        {**TAXI, "models": "checker_taxi"},
        {**TAXI, "models": ["model: checker_taxi; strength: 99"]},
        {**TAXI, "request": None},
    ],
)
def test_anything_else_is_no_recipe(said):
    with pytest.raises(ValueError, match=r"no recipe|at most|no strength"):
        Recipe.of(said)


def test_a_broken_file_hides_no_other(tmp_path):
    kept = keep(tmp_path, Recipe.of(TAXI))
    for name, text in (("a", "{"), ("b", "[]"), ("c", '{"name": "x"}')):
        (tmp_path / FOLDER / f"{name}.recipe.json").write_text(text)
    assert recipes(tmp_path) == [kept]
