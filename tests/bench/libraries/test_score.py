"""Test what an answer to a stranger's request is worth, on made-up answers."""

from __future__ import annotations

import pytest

from personalq.bench.libraries.library import Accepted, Request
from personalq.bench.libraries.score import VERDICTS, Answer, totals, verdict

COPIES = {"copy of a": "a"}


def request(*accepted: Accepted, kind: str = "name") -> Request:
    return Request("x", "a", kind, "easy", accepted)


def worth(one: Request, answer: Answer) -> str:
    return verdict(one, answer, lambda path: COPIES.get(path, path))


def select(*models: str) -> Accepted:
    return Accepted("select", frozenset(models))


def ask(*models: str) -> Accepted:
    return Accepted("clarify", frozenset(models))


ONE, TWO = request(select("a")), request(select("a", "b"))
UNCLEAR, NOTHING = request(ask("a", "b", "c")), request(Accepted("no_match"))
EITHER = request(select("a"), ask("a", "b"))


@pytest.mark.parametrize(
    ("one", "models", "expected"),
    [
        (ONE, ("a",), "right"),
        (ONE, ("copy of a",), "right"),
        (request(select("copy of a")), ("a",), "right"),
        (ONE, ("b",), "silent error"),
        (ONE, ("a", "b"), "silent error"),
        (ONE, ("a", "copy of a"), "right"),
        (TWO, ("b", "a"), "right"),
        (TWO, ("copy of a", "b"), "right"),
        (TWO, ("a",), "silent error"),
        (TWO, ("a", "b", "c"), "silent error"),
        (UNCLEAR, ("a",), "silent error"),
        (NOTHING, ("a",), "silent error"),
        (EITHER, ("a",), "right"),
    ],
)
def test_a_selection_has_exactly_the_models_that_are_meant(
    one: Request, models: tuple[str, ...], expected: str
) -> None:
    assert worth(one, Answer("select", models)) == expected


@pytest.mark.parametrize(
    ("one", "choices", "expected"),
    [
        (UNCLEAR, (("a",), ("b",)), "right"),
        (UNCLEAR, (("copy of a", "x"), ("b",)), "right"),
        (UNCLEAR, (("a", "b"), ("b", "c", "x")), "right"),
        (UNCLEAR, (("a",), ("b",), ("c",), ("a", "b"), ("x",)), "right"),
        (UNCLEAR, (("a",), ("b",), ("x",)), "poor question"),
        (UNCLEAR, (("a",), ("copy of a",)), "poor question"),
        (UNCLEAR, (("x",), ("y",)), "poor question"),
        (UNCLEAR, (), "poor question"),
        (EITHER, (("a",), ("b",)), "right"),
        (EITHER, (("a",), ("x",)), "poor question"),
        (ONE, (("a",), ("b",)), "unnecessary question"),
        (NOTHING, (("a",), ("b",)), "unnecessary question"),
    ],
    ids=["both", "a copy among others", "choices of several", "four of five", "two of three",
         "one model twice", "about others", "no choices", "asking is accepted too",
         "where asking is accepted", "one was meant", "nothing was meant"],
)  # fmt: skip
def test_a_question_leads_to_the_models_that_can_be_meant(
    one: Request, choices: tuple[tuple[str, ...], ...], expected: str
) -> None:
    assert worth(one, Answer("clarify", choices=choices)) == expected


@pytest.mark.parametrize(
    ("one", "expected"),
    [(NOTHING, "right"), (ONE, "declined"), (UNCLEAR, "declined"), (EITHER, "declined")],
)
def test_declining_is_right_where_nothing_fits(one: Request, expected: str) -> None:
    assert worth(one, Answer("no_match")) == expected


def test_totals_by_hand() -> None:
    judged = [
        (ONE, "right"),
        (ONE, "silent error"),
        (request(ask("a", "b"), kind="own"), "right"),
        (NOTHING, "unnecessary question"),
    ]
    found = totals(judged)
    assert found["requests"] == 4
    assert found["share"] == dict.fromkeys(VERDICTS, 0.0) | {
        "right": 0.5,
        "silent error": 0.25,
        "unnecessary question": 0.25,
    }
    assert found["interval"]["right"] == pytest.approx((0.150, 0.850), abs=1e-3)
    assert found["interval"]["declined"] == pytest.approx((0.0, 0.490), abs=1e-3)
    assert found["group"] == {
        "clarify": {"right": 1, "of": 1},
        "no_match": {"right": 0, "of": 1},
        "select": {"right": 1, "of": 2},
    }
    assert found["difficulty"] == {"easy": {"right": 2, "of": 4}}
    assert found["kind"] == {"name": {"right": 1, "of": 3}, "own": {"right": 1, "of": 1}}
