"""An open question while the workflow changes: the request, undo and redo, copies.

In both renderers.
"""

from __future__ import annotations

import uuid

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import (
    AMBIGUOUS,
    CHECK_IN,
    CLARIFY,
    OPEN_QUESTION,
    OTHER,
    answers,
    ask,
    label,
    paste_copy,
    without_clarify,
)
from personalq.tests.browser.page import FIND
from personalq.tests.browser.test_decision import CLEAR

LINK_REQUEST = f"""() => {{
    {FIND}
    const text = LiteGraph.createNode("PrimitiveString");
    app.graph.add(text);
    const checkIn = find("{CHECK_IN}");
    text.connect(0, checkIn, checkIn.inputs.findIndex(({{ name }}) => name === "request"));
}}"""
"""Gives the request by a node of its own."""


def press(editor, keys: str, node_type: str, widget: str, value: str) -> None:
    """Presses keys on the canvas, and waits until they have brought this value back."""
    editor.page.evaluate("() => document.activeElement.blur()")
    editor.hold(keys)
    editor.wait_for_value(node_type, widget, value)


@pytest.fixture
def looked_at(editor):
    """The editor, whose host looks for changes all the time, as it does when a mouse button is
    released.
    """
    timer = editor.page.evaluate(
        "() => setInterval(() => window.dispatchEvent(new MouseEvent('mouseup')), 5)"
    )
    yield editor
    editor.page.evaluate("(timer) => clearInterval(timer)", timer)


def test_a_question_about_an_earlier_request_cannot_be_answered(editor):
    ask(editor)
    editor.page.route("**/personalq/preview", lambda route: None)  # what it says comes after this
    editor.set_value(CHECK_IN, "request", OTHER)
    expect(editor.page.get_by_text(f"This was asked about “{AMBIGUOUS}”")).to_be_visible()
    expect(editor.choices).to_have_count(0)
    editor.set_value(CHECK_IN, "request", f"  {AMBIGUOUS}\n")
    expect(editor.choices.nth(0)).to_be_visible()
    editor.page.unroute_all()
    editor.reload()


@pytest.mark.beside_the_canvas
def test_an_opened_workflow_asks_again_when_its_request_returns(editor):
    ask(editor)
    editor.load({**editor.saved(), "id": str(uuid.uuid4())}, "opened")
    expect(editor.choices.nth(0)).to_be_visible()
    editor.set_value(CHECK_IN, "request", CLEAR)
    expect(editor.page.locator(".personalq-preview")).to_be_visible()
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    expect(editor.choices.nth(0)).to_be_visible()


def test_an_answer_to_an_earlier_request_is_not_shown(editor):
    ask(editor)
    editor.run(editor.choices.nth(0).click)
    expect(answers(editor)).to_have_count(1)
    workflow = editor.saved()
    check_in = next(node for node in workflow["nodes"] if node["type"] == CHECK_IN)
    check_in["widgets_values"][0] = OTHER
    editor.load(workflow, "another_request")
    expect(answers(editor)).to_have_count(0)
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    expect(answers(editor)).to_have_count(1)


@pytest.mark.beside_the_canvas
def test_an_answer_is_shown_only_for_requests_that_ask_for_the_same(editor):
    without_clarify(editor)
    ask(editor)
    editor.run(editor.choices.nth(0).click)
    editor.set_value(CHECK_IN, "request", f"{AMBIGUOUS}, at night")
    expect(answers(editor)).to_have_count(1)
    editor.page.route("**/personalq/preview", lambda route: None)  # what it says comes after this
    editor.set_value(CHECK_IN, "request", OTHER)
    expect(answers(editor)).to_have_count(0)
    editor.page.unroute_all()
    editor.reload()


@pytest.mark.beside_the_canvas
def test_of_a_linked_request_the_answers_to_others_are_not_shown(editor):
    without_clarify(editor)
    editor.page.evaluate(LINK_REQUEST)
    editor.set_value("PrimitiveString", "value", AMBIGUOUS)
    editor.run()
    expect(editor.question).to_be_visible()
    editor.run(editor.choices.nth(0).click)
    expect(answers(editor)).to_have_count(1)
    editor.set_value("PrimitiveString", "value", CLEAR)
    editor.run()
    expect(answers(editor)).to_have_count(0)


def test_undo_opens_the_question_again_and_redo_answers_it(editor):
    ask(editor)
    chosen = label(editor.choices.nth(1))
    editor.run(editor.choices.nth(1).click)
    press(editor, "Control+z", CLARIFY, "answer", "")
    expect(editor.choices.nth(1)).to_be_visible()
    press(editor, "Control+y", CLARIFY, "answer", f"for: {AMBIGUOUS}\n{chosen}")
    expect(editor.question).to_have_count(0)


def test_what_a_run_says_is_no_step_of_undo(looked_at):
    before = looked_at.value(CHECK_IN, "request")
    ask(looked_at)
    press(looked_at, "Control+z", CHECK_IN, "request", before)
    expect(looked_at.question).to_have_count(0)
    press(looked_at, "Control+y", CHECK_IN, "request", AMBIGUOUS)
    expect(looked_at.question).to_be_visible()


def test_an_answer_and_its_taking_back_are_steps_of_undo(looked_at):
    ask(looked_at)
    chosen = label(looked_at.choices.nth(0))
    looked_at.run(looked_at.choices.nth(0).click)
    looked_at.page.get_by_role("button", name="Ask me again").click()
    assert looked_at.value(CLARIFY, "answer") == ""
    press(looked_at, "Control+z", CLARIFY, "answer", f"for: {AMBIGUOUS}\n{chosen}")
    press(looked_at, "Control+z", CLARIFY, "answer", "")
    expect(looked_at.choices.nth(0)).to_be_visible()


@pytest.mark.newest
def test_a_node_keeps_its_height_over_undo_and_redo(editor):
    def heights() -> dict[str, float]:
        return {
            node["type"]: node["size"][1]
            for node in editor.saved()["nodes"]
            if node["type"].startswith("PersonalQ")
        }

    editor.set_value(CHECK_IN, "request", OTHER, let_go=True)
    expect(editor.page.locator(".personalq-preview")).to_be_visible()
    editor.page.wait_for_timeout(500)
    before = heights()
    editor.set_value(CHECK_IN, "request", AMBIGUOUS, let_go=True)
    expect(editor.choices.nth(0)).to_be_visible()
    press(editor, "Control+z", CHECK_IN, "request", OTHER)
    editor.page.wait_for_timeout(500)
    assert heights() == before


def test_a_copy_carries_no_question(editor):
    ask(editor)
    paste_copy(editor, CHECK_IN)
    original, copy = (node for node in editor.saved()["nodes"] if node["type"] == CHECK_IN)
    assert OPEN_QUESTION in original["properties"]
    assert OPEN_QUESTION not in copy["properties"]
    expect(editor.question).to_have_count(1)
