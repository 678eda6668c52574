"""Test the evaluation of selectors.

Metrics are compared with counts by hand; files are read and written; every method runs on a small
repository.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from personalq.bench.cli import main
from personalq.bench.selection.graded_relevance import graded_relevance
from personalq.bench.selection.instances import Answer, Instance, read_instances
from personalq.bench.selection.metrics import right, totals
from personalq.bench.selection.run import DECIDING, METHODS, TUNED, judge
from personalq.bench.selection.thresholds import Scored, tune
from personalq.bench.wilson import wilson
from personalq.checkin import Card, Repository

NOW = datetime(2025, 5, 15, 12, tzinfo=UTC)


def card(name: str, subject: str, style: str, version: int, day: int) -> Card:
    made = datetime(2025, 4, day, tzinfo=UTC)
    text = f"A {style} {subject}"
    return Card(
        name,
        triggers=(f"<{name}>",),
        subjects=(subject,),
        styles=(style,),
        description=text,
        created_at=made,
        version=str(version),
        lineage=f"{subject} {style}",
    )


CARDS = (
    card("d1", "dog", "realistic", 1, 2),
    card("d2", "dog", "realistic", 2, 9),
    card("d3", "dog", "anime", 1, 10),
    card("c1", "cat", "sketch", 1, 20),
)
SINGLE = Instance("a", "my realistic dog", "style", "d2", False)
ASK = Instance("b", "dog", "ambiguous", None, False, acceptable=("d1", "d2", "d3"))
NONE = Instance("c", "a dragon", "no-match", None, True)


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository(CARDS, embedder=None)


def test_a_question_is_right_only_about_the_right_cards():
    assert right(ASK, Answer("clarify", offered=("d1", "d2", "d3")))
    assert not right(ASK, Answer("clarify", offered=("d1", "c1")))
    assert not right(ASK, Answer("clarify"))
    assert not right(ASK, Answer("select", "d1"))


def test_totals_by_hand():
    instances = [SINGLE, SINGLE, SINGLE, ASK, ASK, NONE, NONE]
    answers = [
        Answer("select", "d2"),
        Answer("select", "d1"),
        Answer("clarify", offered=("d1", "d2")),
        Answer("clarify", offered=("d1", "d3")),
        Answer("select", "d1"),
        Answer("no_match"),
        Answer("clarify", offered=("d1", "d3")),
    ]
    found = totals(instances, answers)
    assert found["accuracy"]["right"] == 3
    assert [found["groups"][name]["right"] for name in ("single", "ambiguous", "no-match")] == [
        1,
        1,
        1,
    ]
    assert found["clarification_precision"] == pytest.approx(1 / 3)
    assert found["clarification_recall"] == pytest.approx(1 / 2)
    assert found["no_match_f1"] == pytest.approx(2 / 3)
    assert found["over_asking"] == pytest.approx(2 / 7)
    assert found["silent_wrong"] == pytest.approx(2 / 7)


def test_wilson_interval():
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_graded_relevance_falls_with_every_aspect():
    cards = {one.id: one for one in CARDS}
    scores = [
        graded_relevance(SINGLE, Answer("select", name), cards) for name in ("d2", "d1", "d3", "c1")
    ]
    assert scores[0] == 1
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4
    assert scores[-1] >= 0
    assert graded_relevance(SINGLE, Answer("clarify"), cards) == 0.5
    assert graded_relevance(NONE, Answer("select", "d1"), cards) == 0


def test_thresholds_find_what_separates():
    ids = ("d1", "d2")
    scored = [
        Scored.of(np.array(one), ids)
        for one in ([9.0, 1.0], [8.0, 1.0], [7.0, 6.9], [0.1, 0.0], [0.2, 0.1])
    ]
    sure = Instance("s", "", "x", "d1", False)
    ask = Instance("q", "", "x", None, False, acceptable=ids)
    instances = [sure, sure, ask, NONE, NONE]
    both = tune(instances, scored, right)
    assert [one.judged(*both).outcome for one in scored] == [
        "select",
        "select",
        "clarify",
        "no_match",
        "no_match",
    ]


@pytest.mark.parametrize("method", [*DECIDING, "bm25", f"bm25{TUNED}", "random"])
def test_every_method_answers_every_query(repository, method):
    result = judge(method, [SINGLE, ASK, NONE], repository, NOW)
    assert [row["instance_id"] for row in result["instances"]] == ["a", "b", "c"]
    assert all(row["outcome"] in ("select", "clarify", "no_match") for row in result["instances"])
    assert all(row["milliseconds"] > 0 for row in result["instances"])


def test_checkin_is_right_where_it_can_be(repository):
    assert (
        judge("checkin", [SINGLE, ASK, NONE], repository, NOW)["totals"]["accuracy"]["right"] == 3
    )
    never_asks = judge("checkin-no-clarification", [SINGLE, ASK, NONE], repository, NOW)["totals"]
    assert never_asks["accuracy"]["right"] == 2
    assert never_asks["silent_wrong"] == pytest.approx(1 / 3)


def test_a_pool_limits_the_repository(repository):
    only = Instance("p", "dog", "usage", "d3", False, pool=("d3", "c1"))
    assert judge("checkin", [only], repository, NOW)["totals"]["accuracy"]["right"] == 1


def test_a_pool_of_unknown_cards_is_refused(repository):
    with pytest.raises(ValueError, match=r"p: its candidate_pool names 'nobody'"):
        judge(
            "checkin",
            [Instance("p", "dog", "usage", "d3", False, pool=("d3", "nobody"))],
            repository,
            NOW,
        )


def test_an_ambiguous_query_may_say_what_it_turns_out_to_mean(tmp_path):
    path = tmp_path / "queries.jsonl"
    truth = {"checkpoint_id": "d1", "requires_clarification": True, "no_match": False}
    path.write_text(
        json.dumps({"instance_id": "x", "natural_language_query": "dog", "ground_truth": truth})
    )
    [instance] = read_instances(path)
    assert (instance.group, instance.card) == ("ambiguous", None)


def test_an_unknown_method_is_refused_with_those_there_are(repository):
    with pytest.raises(ValueError, match=", ".join(METHODS[:2])):
        judge("guess", [SINGLE], repository, NOW)


def test_command_judges_any_files(tmp_path, capsys):
    lines = [
        {
            "instance_id": one.id,
            "natural_language_query": one.text,
            "ground_truth": {
                "checkpoint_id": one.card,
                "requires_clarification": one.group == "ambiguous",
                "no_match": one.no_match,
            },
        }
        for one in (SINGLE, ASK, NONE)
    ]
    queries, cards, out = (tmp_path / name for name in ("queries.jsonl", "cards.jsonl", "a/b.json"))
    queries.write_text("\n".join(map(json.dumps, lines)))
    cards.write_text("\n".join(json.dumps(one.as_dict()) for one in CARDS))
    arguments = [
        "selection",
        "--cards",
        cards,
        "--queries",
        queries,
        "--now",
        NOW.isoformat(),
        "--json",
        out,
    ]
    assert main([*map(str, arguments), "--method", "checkin"]) == 0
    assert "Check-in" in capsys.readouterr().out
    found = json.loads(out.read_text())
    assert found["totals"]["accuracy"]["right"] == 3
    keys = {"instance_id", "outcome", "checkpoint_id", "choices", "prompt", "milliseconds"}
    assert all(set(row) == keys for row in found["instances"])
    assert found["instances"][0]["prompt"] == "realistic <d2>"
    assert main(["selection", "--cards", str(cards)]) == 1
    assert "together" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_said_before_anything_is_asked(tmp_path, capsys):
    assert main(["selection", "--method", "guess", "--json", str(tmp_path)]) == 1
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--method", "--json", "--cards", "--llm"])
def test_all_methods_go_with_no_other_option(option, tmp_path, capsys):
    assert main(["selection", "--all", option, str(tmp_path / "x")]) == 1
    assert "--all is for every method on Repo-Prompts" in capsys.readouterr().err


def test_a_query_without_a_single_truth_is_refused(tmp_path):
    path = tmp_path / "queries.jsonl"
    truth = {"checkpoint_id": "d1", "requires_clarification": False, "no_match": True}
    path.write_text(
        json.dumps({"instance_id": "x", "natural_language_query": "dog", "ground_truth": truth})
    )
    with pytest.raises(ValueError, match=r"line 1.*must say one of"):
        read_instances(path)
