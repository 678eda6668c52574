"""Test requests that say before, after or between which other models the model was made."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Decision, Repository, check_in
from personalq.checkin.decision.serving.record import IntentRecord
from personalq.checkin.user.context import Context
from personalq.checkin.user.history import Use
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
_FILE = Path(__file__).with_name("bounds_requests.txt")
_BUILDS = (
    ("bear_v1", 0, "brbear bear"),
    ("bear_cartoon", 30, "cartoon bear"),
    ("bear_v2", 80, "brbear bear"),
    ("bear_v3", 150, "brbear bear"),
    ("bear_final", 200, "brbear bear"),
    ("pip_v1", 10, "pipdog dog"),
    ("pip_v2", 40, "pipdog dog"),
    ("pip_blue", 60, "pipdog dog"),
    ("pip_v3", 85, "pipdog dog"),
    ("pip_v4", 115, "pipdog dog"),
    ("pip_rerun", 160, "pipdog dog"),
    ("moss_v1", 20, "mosdog collie"),
    ("moss_v2", 45, "mosdog collie"),
    ("moss_v3", 70, "mosdog collie"),
    ("moss_v4", 95, "mosdog collie"),
    ("moss_v5", 130, "mosdog collie"),
    ("oma-000002", 170, "omawmn woman"),
    ("oma-000004", 171, "omawmn woman"),
    ("oma-000008", 172, "omawmn woman"),
    ("oma-000010", 173, "omawmn woman"),
    ("oma", 174, "omawmn woman"),
    ("grumble_v1", 15, "grmbl troll"),
    ("grumble_v2", 65, "grmbl troll"),
    ("grumble_v3", 100, "grmbl troll"),
    ("grumble_v4", 140, "grmbl troll"),
    ("wash_watercolour", 75, "watercolour style"),
    ("ink_style", 90, "ink style"),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("loras")
    for name, day, trigger in _BUILDS:
        own(folder, name, day, trigger)
    return Repository.open(folder, embedder=None)


def ask(repository: Repository, request: str) -> Decision:
    used = (Use(NOW.replace(month=8), "moss_v5"),)
    return check_in(request, repository, now=NOW, context=Context(history=used))


def _requests() -> list[tuple[str, str]]:
    lines = _FILE.read_text("utf-8").splitlines()
    return [tuple(line.split(" | ")) for line in lines if line and not line.startswith("#")]


def _said(decision: Decision) -> str:
    if decision.outcome == "no_match":
        return "none"
    if decision.outcome == "clarify":
        first = [choice.card_ids[0] for choice in decision.question.choices]
        return "ask " + ", ".join(dict.fromkeys(first))
    return " + ".join(card.name for card in decision.cards)


@pytest.mark.parametrize(("request_text", "expected"), _requests())
def test_models_bounded_by_others(repository, request_text: str, expected: str) -> None:
    assert _said(ask(repository, request_text)) == expected


def test_a_bound_is_no_part_of_the_prompt(repository) -> None:
    decision = ask(repository, "pip, the one after the blue one, on a bench")
    assert decision.prompt == "pipdog dog, on a bench"
    record = IntentRecord(decision.intent, decision.context).as_dict()
    assert record["user"]["bounds"] == ["after the blue one"]


def test_a_bound_that_is_not_here_is_said_with_near_models(repository) -> None:
    decision = ask(repository, "the pip I made before the pink one")
    assert decision.why.startswith("No model here is 'the pink one'")
    assert decision.near[0].card.name == "pip_v4"
    assert decision.near[0].dropped == "before the pink one"


def test_nothing_within_a_bound_says_when_the_bound_was_made(repository) -> None:
    decision = ask(repository, "the pip newer than the rerun")
    assert decision.why == ("No pip is 'newer than the rerun': pip_rerun is from 22 November 2025.")


def test_a_question_says_what_the_bound_may_be(repository) -> None:
    decision = ask(repository, "moss older than grumble")
    assert decision.why.startswith("'grumble' may be grumble_v2, grumble_v3 or grumble_v4.")
