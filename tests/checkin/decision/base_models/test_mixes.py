"""Test requests for a checkpoint that is called a mix or a merge."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


def library(folder: Path, mix: str = "") -> Repository:
    own(folder, "pip_xl", 10, "pipq dog")
    own(folder, "me_tolu_15", 20, "toluq woman", base="sd15")
    own(folder, "pip_15", 30, "pipq dog", base="sd15")
    make.make_checkpoint(folder / "juggernautXL_v9.safetensors", "sdxl")
    make.make_checkpoint(folder / "dreamshaper_8.safetensors", "sd15")
    if mix:
        make.make_checkpoint(folder / f"{mix}.safetensors", "sdxl")
    return Repository.open(folder, embedder=None)


@pytest.fixture(scope="module")
def with_mix(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return library(tmp_path_factory.mktemp("models"), "tolu_mix_v1")


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return library(tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("my own mix", ["tolu_mix_v1"]),
        ("my merge checkpoint", ["tolu_mix_v1"]),
        ("tolu mix", ["tolu_mix_v1"]),
        ("my own merge, the latest", ["tolu_mix_v1"]),
        ("my mix, pip in the snow", ["tolu_mix_v1", "pip_xl"]),
        ("use my own mix v1: pip in the snow", ["tolu_mix_v1", "pip_xl"]),
        ("pip in the snow, on my own mix checkpoint", ["tolu_mix_v1", "pip_xl"]),
        ("tolu mix, pip in the snow", ["tolu_mix_v1", "pip_xl"]),
        ("pip in the snow, tolu mix", ["tolu_mix_v1", "pip_xl"]),
        ("my own mix xl, a walrus in a red coat", ["tolu_mix_v1"]),
        ("my own mix, my walrus in a red coat", []),  # which somebody trained
    ],
)
def test_a_mix_is_one_that_is_called_so(with_mix, request_text: str, names: list[str]) -> None:
    decision = check_in(request_text, with_mix, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


def test_each_reason_is_of_the_build_that_is_used(with_mix) -> None:
    decision = check_in("my mix, pip in the snow", with_mix, now=NOW)
    assert "pip_xl: 'pip' in its name" in decision.why
    assert "pip_15" not in decision.why
    assert "as asked" not in decision.why  # the mix decided for which base model it is


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("pip in the snow on my own mix, v1 not 2", ["tolu_mix_v1", "pip_xl"]),
        ("pip in the snow on my own mix (v1)", ["tolu_mix_v1", "pip_xl"]),
        ("my own mix, v1, pip in the snow", ["tolu_mix_v1", "pip_xl"]),
        ("pip in the snow on my own mix, in a red coat", ["tolu_mix_v2", "pip_xl"]),
    ],
)
def test_a_version_behind_a_mix_is_said_of_it(tmp_path, request_text, names) -> None:
    make.make_checkpoint(tmp_path / "tolu_mix_v2.safetensors", "sdxl")
    decision = check_in(request_text, library(tmp_path, "tolu_mix_v1"), now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why
    assert ")" not in str(decision.prompt)


def test_without_one_any_checkpoint_may_be_mixed(without) -> None:
    question = check_in("my own mix", without, now=NOW).question
    assert question is not None
    offered = {one for choice in question.choices for one in choice.card_ids}
    assert offered == {card.id for card in without.cards if card.kind == "checkpoint"}


def test_where_none_is_called_so_the_words_add_nothing(without) -> None:
    decision = check_in("my mix, pip in the snow", without, now=NOW)
    assert [card.name for card in decision.cards] == ["pip_15"]
