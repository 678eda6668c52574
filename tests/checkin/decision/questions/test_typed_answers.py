"""Test answers to a question in the words that people type."""

from __future__ import annotations

from datetime import datetime

import pytest

from personalq.checkin import (
    Card,
    Decision,
    Repository,
    check_in,
)
from personalq.tests.checkin.world import NOW, ZONE, cards


def card(name: str, made: str, **fields) -> Card:
    made_at = datetime.fromisoformat(made).replace(tzinfo=ZONE)
    return Card(id=name, triggers=(f"<{name}>",), created_at=made_at, **fields)


TOWERS = [
    card(
        "harbour-2",
        "2025-03-10",
        subjects=("castle",),
        styles=("realistic",),
        description="A red tower with a flag at the harbour.",
        version="2",
        lineage="harbour",
    ),
    card(
        "harbour-1",
        "2025-01-10",
        subjects=("castle",),
        styles=("realistic",),
        description="A red tower with a flag at the harbour.",
        version="1",
        lineage="harbour",
    ),
    card(
        "hill",
        "2025-04-20",
        subjects=("castle",),
        styles=("cartoon",),
        description="A grey fortress with many windows on a hill.",
        version="1",
        lineage="hill",
    ),
]
HARBOUR, HILL, OLDEST = "harbour-2", "hill", "harbour-1"
NONE, AGAIN = "none of them", "asked again"


@pytest.fixture(scope="module")
def towers() -> Repository:
    return Repository(TOWERS, embedder=None)


@pytest.fixture(scope="module")
def world() -> Repository:
    return Repository(cards(), embedder=None)


def outcome(decision: Decision) -> str:
    """The id of the model, or what else was said."""
    if decision.card:
        return decision.card.id
    return AGAIN if decision.question else NONE


def test_the_question_has_two_choices(towers) -> None:
    question = check_in("my castle at night", towers, now=NOW).question
    assert [choice.label for choice in question.choices] == ["cartoon", "realistic"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        # the words of the button, and more
        ("cartoon", HILL),
        ("the cartoon one please", HILL),
        ("CARTOON!", HILL),
        ("i mean the realistic one", HARBOUR),
        ("yes, realistic", HARBOUR),
        ("the realistic version", HARBOUR),
        ("a cartoon picture", HILL),
        ("cartoony", HILL),
        # its place
        ("1", HILL),
        ("2.", HARBOUR),
        ("#2", HARBOUR),
        ("number 2", HARBOUR),
        ("option 1", HILL),
        ("first", HILL),
        ("the second", HARBOUR),
        ("The Second One.", HARBOUR),
        ("2nd one", HARBOUR),
        ("i'll take the first one please", HILL),
        ("go with the second", HARBOUR),
        ("left one", HILL),
        ("the one on the right", HARBOUR),
        ("top", HILL),
        ("the bottom picture", HARBOUR),
        ("two", HARBOUR),
        ("one", HILL),
        # what is on the picture
        ("tower", HARBOUR),
        ("the tower", HARBOUR),
        ("the one with the flag", HARBOUR),
        ("the red tower with a flag", HARBOUR),
        ("the grey one", HILL),
        ("the one on the hill", HILL),
        ("with many windows", HILL),
        ("fortress", HILL),
        ("the harbour", HARBOUR),
        # its age
        ("the older one", HARBOUR),
        ("older", HARBOUR),
        ("the earlier one", HARBOUR),
        ("the old one", HARBOUR),
        ("the newer", HILL),
        ("newer please", HILL),
        ("the more recent one", HILL),
        ("the newest", HILL),
        ("latest", HILL),
        ("the oldest", OLDEST),
        ("the one from april", HILL),
        ("v2", HARBOUR),
        # what it is not
        ("not the cartoon", HARBOUR),
        ("anything but the cartoon one", HARBOUR),
        ("not the first", HARBOUR),
        ("not the one with the flag", HILL),
        ("not " * 1500 + "the first", HARBOUR),
        # none, any
        ("neither", NONE),
        ("none of these", NONE),
        ("none of them please", NONE),
        ("no", NONE),
        ("nope", NONE),
        ("none of the above", NONE),
        ("any", HILL),
        ("whatever", HILL),
        ("you choose", HILL),
        ("i don't care", HILL),
        ("either is fine", HILL),
        ("the newest of any", HILL),
        # not understood, or of several
        ("blargh", AGAIN),
        ("\ue000\ue105", AGAIN),
        ("asdf jkl", AGAIN),
        ("5", AGAIN),
        ("the third one", AGAIN),
        ("the middle one", AGAIN),
        ("both", AGAIN),
        ("yes", AGAIN),
        ("the other one", AGAIN),
        ("castle", AGAIN),
        ("cartoon or realistic", AGAIN),
        ("the purple giraffe", AGAIN),
        # in other languages
        ("die zweite", HARBOUR),
        ("keine", NONE),
        ("egal", HILL),
    ],
)
def test_typed_answers(towers, answer: str, expected: str) -> None:
    assert outcome(check_in("my castle at night", towers, now=NOW, answers=[answer])) == expected


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("blargh", "I did not understand 'blargh'."),
        ("the purple giraffe", "'the purple giraffe' fits none of them."),
        ("cartoon or realistic", "'cartoon or realistic' fits several of them."),
        ("the tenth oldest", "'the tenth oldest' fits none of them."),
    ],
)
def test_the_same_question_comes_again_with_what_was_wrong(towers, answer: str, said: str) -> None:
    first = check_in("my castle", towers, now=NOW).question
    again = check_in("my castle", towers, now=NOW, answers=[answer])
    assert again.question.text == f"{said} {first.text}"
    assert again.question.choices == first.choices
    assert again.unheard == (answer,)
    assert again.why.startswith(said)


def test_what_is_not_understood_uses_up_no_question(towers) -> None:
    junk = ["blargh", "the purple giraffe", "blargh", "yes"]
    asked = check_in("my castle", towers, now=NOW, answers=junk)
    assert outcome(asked) == AGAIN
    assert asked.unheard == tuple(junk)
    assert asked.question.text.startswith("I did not understand 'yes'.")
    answered = check_in("my castle", towers, now=NOW, answers=[*junk, "tower"])
    assert (outcome(answered), answered.unheard) == (HARBOUR, tuple(junk))


def test_what_is_not_understood_is_said_where_the_best_match_is_taken(towers) -> None:
    taken = check_in("my castle", towers, now=NOW, answers=["blargh"], best_match=True)
    best = check_in("my castle", towers, now=NOW, best_match=True)
    assert (outcome(taken), taken.unheard) == (outcome(best), ("blargh",))
    assert taken.why == f"I did not understand 'blargh'. {best.why}"


def leads_on(world: Repository, request: str) -> str:
    """The choice of a question that leads to another question."""
    choices = check_in(request, world, now=NOW).question.choices
    labels = [choice.label for choice in choices]
    return next(one for one in labels if check_in(request, world, now=NOW, answers=[one]).question)


@pytest.mark.parametrize("second", ["neither", "none of these", "no"])
def test_neither_as_the_second_answer_loads_nothing(world, second: str) -> None:
    label = leads_on(world, "make me something nice")
    decision = check_in("make me something nice", world, now=NOW, answers=[label, second])
    assert outcome(decision) == NONE
    assert decision.why.startswith(f"You answered '{second}'.")


def test_only_answers_that_count_end_the_questions(world) -> None:
    label = leads_on(world, "make me something nice")
    answers = ["blargh", label, "blargh", "blargh"]
    asked = check_in("make me something nice", world, now=NOW, answers=answers)
    assert outcome(asked) == AGAIN
    limited = check_in("make me something nice", world, now=NOW, answers=answers, most_questions=1)
    assert limited.card
    assert "after your answers" in limited.why


def test_a_long_answer_is_not_repeated_whole(towers) -> None:
    again = check_in("my castle", towers, now=NOW, answers=["blargh " * 500])
    assert len(again.question.text) < 200


def test_the_reason_does_not_call_it_the_only_one_where_two_fitted(towers) -> None:
    decision = check_in("my castle", towers, now=NOW, answers=["cartoon"])
    assert decision.why.startswith("You answered 'cartoon'. hill: ")
    assert "only" not in decision.why


@pytest.mark.parametrize("place", [0, 1])
def test_a_number_is_shown_as_the_choice_that_it_means(towers, place: int) -> None:
    question = check_in("a castle", towers, now=NOW).question
    assert question is not None
    number, shown = str(place + 1), question.choices[place].shown
    decision = check_in("a castle", towers, now=NOW, answers=(number,))
    assert decision.heard == ((number, shown),)
    assert decision.why.startswith(f"You answered '{shown}'.")
