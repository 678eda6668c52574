"""Test conversations: answered until there is a decision, and compared with what is expected."""

from __future__ import annotations

from personalq.checkin import Repository
from personalq.demo.conversation import MAX_QUESTIONS, REQUESTS, Request, Turn, converse
from personalq.demo.main_job import say
from personalq.demo.without_comfyui import decide


def _asks(answers) -> Turn:
    return Turn("clarify", "Two fit.", 0.0, question="Which?", choices=["this", "that"])


def test_a_question_gets_its_first_choice_as_answer() -> None:
    given = []

    def decide_after_one(answers) -> Turn:
        given.append(list(answers))
        return Turn("select", "It is this one.", 0.0) if answers else _asks(answers)

    talk = converse(
        Request("a bear", ("clarify", "select")), decide_after_one, lambda request, turn: None
    )
    assert given == [[], ["this"]] or given[-1] == ["this"]
    assert talk.as_expected
    assert [turn.answer for turn in talk.turns] == ["this", None]


def test_questions_without_end_are_given_up_and_count_as_unexpected() -> None:
    talk = converse(Request("a bear", ("clarify", "select")), _asks, lambda request, turn: None)
    assert len(talk.turns) == MAX_QUESTIONS + 1
    assert not talk.as_expected


def test_the_three_requests_go_as_expected_on_the_demo_repository(demo_repository, capsys) -> None:
    repository = Repository.open(demo_repository, embedder=None)
    for request in REQUESTS:
        talk = converse(
            request, lambda answers, request=request: decide(repository, request, answers)[0], say
        )
        assert talk.as_expected, talk.to_dict()
    said = capsys.readouterr().out
    assert "<bear-v4>" in said
    assert "April 2026" in said
    assert "May 2026" in said
    assert "3 November" in said
