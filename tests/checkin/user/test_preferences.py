"""Test the settings file: defaults, what is refused, and that writing keeps the user's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.user.preferences import (
    FILE,
    MAX_QUESTIONS,
    Preferences,
    load_preferences,
    save_preferences,
)
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.world import NOW, cards


def test_without_a_file_everything_has_a_value(tmp_path: Path) -> None:
    assert load_preferences(tmp_path) == load_preferences(None) == Preferences()


def test_writing_keeps_what_the_user_wrote(tmp_path: Path) -> None:
    file = tmp_path / "mine" / FILE
    file.parent.mkdir()
    file.write_text("# mine\nhistory: off   # private\nprefer: speed\ncolour: blue\n")
    after = save_preferences(
        file.parent, {"prefer": "quality", "questions": 1, "leave_out": ["loras/old"]}
    )
    assert (
        file.read_text()
        == "# mine\nhistory: off   # private\nprefer: quality\ncolour: blue\nquestions:"
        " '1'\nleave_out:\n- loras/old\n"
    )
    assert (
        after
        == load_preferences(file.parent)
        == Preferences("quality", False, questions=1, leave_out=("loras/old",))
    )
    assert save_preferences(file.parent, {"leave_out": [], "history": True}).leave_out == ()
    assert load_preferences(file.parent).history


def test_bases_are_written_one_to_a_line(tmp_path: Path) -> None:
    bases = {"flux1": "flux1-krea-dev", "z-image": "z_image_turbo_bf16"}
    save_preferences(tmp_path, {"prefer": "speed"})
    assert save_preferences(tmp_path, {"bases": bases}).bases == bases
    written = "prefer: speed\nbases:\n  flux1: flux1-krea-dev\n  z-image: z_image_turbo_bf16\n"
    assert (tmp_path / FILE).read_text() == written
    assert save_preferences(tmp_path, {"bases": {}}).bases == {}
    assert (tmp_path / FILE).read_text() == "prefer: speed\n"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prefer": "luxury"}, "prefer is 'luxury'; it is speed, balanced, quality"),
        ({"questions": 3}, "questions is '3'; it is a number from 0 to 2"),
        ({"questions": -1}, "questions is '-1'"),
        ({"key": "sk-1"}, "'key' is no setting"),
    ],
)
def test_what_is_no_setting_is_refused_and_nothing_is_written(
    tmp_path: Path, changes: dict, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        save_preferences(tmp_path, changes)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    "line",
    [
        "leave_out: loras",
        "history: perhaps",
        "questions: many",
        "bases: flux1-dev",
        "bases: {flux9: flux9-dev}",
        "bases: {flux1: [a, b]}",
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / FILE).write_text(line)
    with pytest.raises(ValueError, match=f"{FILE}: {line.partition(':')[0]}"):
        load_preferences(tmp_path)


def test_the_limit_of_questions_is_kept() -> None:
    repository = Repository(cards(), embedder=None)
    assert check_in("my bear", repository, now=NOW).outcome == "clarify"
    at_once = check_in("my bear", repository, now=NOW, most_questions=0)
    assert at_once.outcome == "select"
    assert at_once.why.startswith("Several fit")
    assert MAX_QUESTIONS == 2


def test_a_folder_that_is_left_out_is_not_looked_into(tmp_path: Path) -> None:
    models, cache = tmp_path / "models", tmp_path / "index.sqlite"
    for name in (
        "bear.safetensors",
        "old/dog.safetensors",
        "old/very/cat.safetensors",
        "older/owl.safetensors",
    ):
        make.make_lora(models / name)

    def ids(*leave_out: Path) -> list[str]:
        return [
            card.id
            for card in Repository.open(
                models, cache=cache, embedder=None, leave_out=leave_out
            ).cards
        ]

    assert ids() == ["bear", "old-dog", "old-very-cat", "older-owl"]
    assert ids(models / "old") == ["bear", "older-owl"]
    assert ids() == ["bear", "old-dog", "old-very-cat", "older-owl"]
