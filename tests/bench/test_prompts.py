"""Test that the published prompt sets are complete and read correctly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from personalq.bench.prompts import SETS, from_file, prompts, with_subject


def test_counts():
    assert [len(prompts(name, "sks", "dog")) for name in ("dreambooth", "parti", "coco")] == [
        25,
        1632,
        1000,
    ]
    assert all(prompt.strip() for name in SETS for prompt in prompts(name, "sks", "dog"))


def test_dreambooth_has_prompts_for_things_and_for_what_lives():
    assert prompts("dreambooth", "sks", "dog")[10] == "a sks dog wearing a red hat"
    assert (
        prompts("dreambooth", "sks", "vase")[10]
        == "a sks vase with a wheat field in the background"
    )
    assert prompts("dreambooth", "", "vase")[0] == "a vase in the jungle"


def test_what_cannot_be_read():
    with pytest.raises(
        ValueError, match="there is no prompt set 'x'; there are dreambooth, parti, coco"
    ):
        prompts("x")
    with pytest.raises(ValueError, match="need a class word"):
        prompts("dreambooth", "sks", " ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.txt", "a dog  on grass\n\n a cat\n"),
        ("parti.tsv", "Prompt\tCategory\na dog on grass\tAnimals\na cat\tAnimals\n"),
        (
            "captions.json",
            json.dumps({"annotations": [{"caption": "a dog on grass"}, {"caption": "a cat"}]}),
        ),
        ("list.json", json.dumps(["a dog on grass", "a cat"])),
    ],
)
def test_files_of_a_user(tmp_path: Path, name: str, text: str):
    (tmp_path / name).write_text(text, "utf-8")
    assert from_file(tmp_path / name) == ["a dog on grass", "a cat"]


def test_an_empty_file_is_refused(tmp_path: Path):
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(ValueError, match="has no prompts; give one in each line"):
        from_file(tmp_path / "empty.txt")


def test_the_subject_is_appended():
    assert with_subject("A man rides a wave.", "sks", "dog") == "A man rides a wave, sks dog"
    assert with_subject("A man rides a wave.", "", "") == "A man rides a wave."
