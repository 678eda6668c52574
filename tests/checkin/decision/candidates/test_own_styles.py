"""Test requests for the style that the user trained: "pip in our house style"."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


def library(folder: Path, *styles: tuple[str, str, str]) -> Repository:
    own(folder, "pip_xl", 10, "pipq dog")
    own(folder, "marit_v2", 20, "maritq woman")
    own(folder, "pip_15", 30, "pipq dog", base="sd15")
    downloaded(folder, "hollow_style", "Hollow Style", ["style"], "hollow style")
    for day, (name, trigger, base) in enumerate(styles, 40):
        own(folder, name, day, trigger, **({"base": base} if base else {}))
    return Repository.open(folder, embedder=None)


STYLE = ("anna_style_v3", "anna style", "")


@pytest.fixture(scope="module")
def with_one(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    styles = [("crennie_style", "crennie style", ""), ("crennie_style_15", "crennie style", "sd15")]
    return library(
        tmp_path_factory.mktemp("models"), ("gouache_v1", "crennie gouache", ""), *styles
    )


@pytest.fixture(scope="module")
def with_two(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    looks = [("inkport_v1", "inkport style", ""), ("gouache_v1", "mgouache gouache", "")]
    return library(tmp_path_factory.mktemp("models"), *looks)


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return library(tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("marit in the snow, in my style", ["marit_v2", "crennie_style"]),
        ("marit in the snow, house style", ["marit_v2", "crennie_style"]),
        ("our own style, marit with a kite", ["marit_v2", "crennie_style"]),
        ("pip in my style, sd 1.5", ["pip_15", "crennie_style_15"]),
        ("house style for sdxl", ["crennie_style"]),
        ("marit my style", ["marit_v2", "crennie_style"]),
        ("marit in the snow, studio look", ["marit_v2", "crennie_style"]),
        ("marit on the pier with our style", ["marit_v2", "crennie_style"]),
        ("pip, house style sd15", ["pip_15", "crennie_style_15"]),
        ("a heron on the canal in my own style", ["crennie_style_15"]),
        ("my heron on the canal in my own style", []),  # which somebody trained
        ("marit in the snow, not in my style", ["marit_v2"]),
        ("marit in my style of inking", ["marit_v2"]),
    ],
)
def test_the_style_that_is_called_so_is_meant(with_one, request_text: str, names: list[str]):
    decision = check_in(request_text, with_one, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "style"),
    [
        ("marit in the snow, house style v3 not v4", "anna_style_v3"),
        ("marit in the snow, house style v4", "anna_style_v4"),
        ("marit in the snow, house style v3 no v4", "anna_style_v3"),
        ("marit in the snow, style v3", "anna_style_v3"),
        ("style v3, marit in the snow", "anna_style_v3"),
        ("marit in the snow, house style", "anna_style_v4"),
    ],
)
def test_which_build_of_it_is_said_behind(tmp_path: Path, request_text: str, style: str):
    builds = [("anna_style_v3", "anna style", ""), ("anna_style_v4", "anna style", "")]
    builds.append(("anna_old_15", "anna style", "sd15"))
    decision = check_in(request_text, library(tmp_path, *builds), now=NOW)
    assert [card.name for card in decision.cards] == ["marit_v2", style]


def test_words_that_say_whose_style_it_is_are_not_drawn(with_one):
    for text in ("marit in the snow, in my style", "marit in our house style in the snow"):
        decision = check_in(text, with_one, now=NOW)
        assert "crennie style" in decision.prompt
        assert "my" not in decision.prompt.split()
        assert "house" not in decision.prompt


def test_a_studio_is_also_where_a_photo_is_taken(with_two):
    """So that its look asks for no model that is not called a style."""
    decision = check_in("marit, studio look", with_two, now=NOW)
    assert [card.name for card in decision.cards] == ["marit_v2"]


def test_which_of_two_styles_is_asked(with_two):
    decision = check_in("marit in the snow, in my style", with_two, now=NOW)
    assert decision.question is not None
    offered = {one for choice in decision.question.choices for one in choice.card_ids}
    assert {one.name for one in with_two.cards if one.id in offered} == {
        "inkport_v1",
        "gouache_v1",
    }


def test_where_the_user_trained_none_the_words_add_nothing(without):
    decision = check_in("marit in the snow, in my style", without, now=NOW)
    assert [card.name for card in decision.cards] == ["marit_v2"]


@pytest.mark.parametrize("name", ["gouache_v1", "inkport_v1"])
def test_the_one_that_the_user_calls_so_is_meant(tmp_path: Path, name: str):
    other = (f"{name[:-1]}2", "crennie", "sd15")  # another build, for another base model
    library(tmp_path, ("gouache_v1", "crennie", ""), ("inkport_v1", "inkport", ""), other)
    make.beside(tmp_path / f"{name}.safetensors", ".personalq.yaml", {"names": ["our house style"]})
    repository = Repository.open(tmp_path, embedder=None)
    decision = check_in("marit in the snow, in our style", repository, now=NOW)
    assert [card.name for card in decision.cards] == ["marit_v2", name]
    decision = check_in("pip in the snow, in our style, sd15", repository, now=NOW)
    assert [card.name for card in decision.cards] == ["pip_15", f"{name[:-1]}2"]


@pytest.mark.parametrize(
    ("name", "captions"),
    [
        ("stil/maritmaling_v2", ""),  # a folder of looks, in whatever language
        ("画風/maritmaling_v2", ""),
        ("maritmaling_v2", "maritmaling style"),
    ],
)
def test_folders_and_captions_say_what_is_a_style(tmp_path: Path, name: str, captions: str):
    own(tmp_path, name, 50, "mmaling", captions)
    repository = library(tmp_path)
    decision = check_in("marit in the snow, in my style", repository, now=NOW)
    assert [card.name for card in decision.cards] == ["marit_v2", "maritmaling_v2"]


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("marit in my style from june", ["marit_v2", "anna_style_v3"]),
        ("marit in the rain, the style i trained in july", ["marit_v2", "anna_style_v4"]),
        ("the style we made in june, marit in the rain", ["marit_v2", "anna_style_v3"]),
        ("marit in the style i trained", ["marit_v2", "anna_style_v4"]),
        ("marit from july in my style from june", ["marit_v2", "anna_style_v3"]),
    ],
)
def test_when_it_was_made_is_said_behind(tmp_path: Path, request_text: str, names: list[str]):
    own(tmp_path, "anna_style_v3", 10, "anna style")  # 25 June; marit_v2 is of 5 July
    own(tmp_path, "anna_style_v4", 40, "anna style")
    decision = check_in(request_text, library(tmp_path), now=datetime(2025, 9, 20, tzinfo=UTC))
    assert [card.name for card in decision.cards] == names, decision.why


def test_a_build_of_it_that_is_not_here_is_said(tmp_path: Path) -> None:
    decision = check_in("marit in my style from may", library(tmp_path, STYLE), now=NOW)
    assert decision.why == "There is no 'my style from may' here. The rest would be marit_v2."
