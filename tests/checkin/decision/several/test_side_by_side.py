"""Test requests for two things side by side in a library that people described."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Card, Repository, check_in

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


def card(name: str, month: int, subject: str, style: str, version: str, lineage: str) -> Card:
    return Card(
        id=name,
        kind="lora",
        base_model="sd15",
        triggers=(f"<{name}>",),
        subjects=(subject,),
        styles=(style,),
        version=version,
        lineage=lineage,
        created_at=datetime(2026, month, 1, tzinfo=UTC),
        sources={"subjects": "sidecar"},
    )


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository(
        [
            card("bear_v1", 1, "bear", "realistic", "1", "bear"),
            card("bear_v2", 4, "bear", "realistic", "2", "bear"),
            card("cat_v1", 2, "cat", "cartoon", "1", "cat"),
            card("cat_v2", 5, "cat", "cartoon", "2", "cat"),
            card("pip_fox", 3, "fox", "realistic", "1", "fox"),
        ],
        embedder=None,
    )


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("my bear beside my cat", ["bear_v2", "cat_v2"]),
        ("my bear and my cat in the park", ["bear_v2", "cat_v2"]),
        ("a bear and a fox", ["bear_v2", "pip_fox"]),
        # a version or a time is said of its own part
        ("bear v1 beside my cat", ["bear_v1", "cat_v2"]),
        ("my latest bear and my cat v1", ["bear_v2", "cat_v1"]),
        ("my latest fox and my latest cat", ["pip_fox", "cat_v2"]),
        # what is only drawn is no model
        ("my latest bear and my hat", ["bear_v2"]),
        ("my bear on my sofa", ["bear_v2"]),
        ("bear v1 with a cat", ["bear_v1"]),
    ],
)
def test_each_part_is_decided_for_itself(repository, request_text, expected) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [one.id for one in decision.cards] == expected, decision.why


def test_a_part_that_may_mean_several_is_asked_about(repository) -> None:
    more = [card("tabby", 6, "cat", "sketch", "1", "tabby"), *repository.cards]
    decision = check_in("my latest bear and my cat", Repository(more, embedder=None), now=NOW)
    assert decision.outcome == "clarify"
    answer = decision.question.choices[0]
    decided = check_in(
        "my latest bear and my cat",
        Repository(more, embedder=None),
        now=NOW,
        answers=(answer.label,),
    )
    assert decided.cards[0].id == "bear_v2"
    assert decided.cards[1].id in ("cat_v2", "tabby")
    assert "<bear_v2>" in decided.prompt
