"""Test the question with the keyboard alone, and what a screen reader is told.

In both renderers.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import AMBIGUOUS, CHECK_IN, CLARIFY, ask, label, said


def test_arrow_keys_go_round_the_choices_and_the_field(editor):
    ask(editor)
    count = editor.choices.count()
    editor.choices.nth(0).focus()
    editor.page.keyboard.press("ArrowRight")
    expect(editor.choices.nth(1)).to_be_focused()
    assert (
        editor.choices.nth(1).evaluate("(choice) => getComputedStyle(choice).outlineStyle")
        == "solid"
    )
    editor.page.keyboard.press("ArrowLeft")
    editor.page.keyboard.press("ArrowUp")
    field = editor.page.get_by_role("textbox", name="Type an answer and press Enter")
    expect(field).to_be_focused()
    editor.page.keyboard.type("1")
    expect(field).to_have_value("1")  # in the field a number is only written
    editor.page.keyboard.press("ArrowUp")
    expect(editor.choices.nth(count - 1)).to_be_focused()


def test_a_number_chooses(editor):
    ask(editor)
    second = label(editor.choices.nth(1))
    editor.choices.nth(0).focus()
    entry = editor.run(lambda: editor.page.keyboard.press("2"))
    assert said(entry)["answered"] == [second]
    assert editor.value(CLARIFY, "answer") == f"for: {AMBIGUOUS}\n{second}"


def test_after_an_answer_the_keyboard_stays_in_the_node(editor):
    ask(editor)
    editor.choices.nth(0).focus()
    editor.run(lambda: editor.page.keyboard.press("Enter"))
    expect(editor.page.locator(".personalq-clarify")).to_be_focused()


def test_a_screen_reader_is_told_the_question_and_each_choice(editor):
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    status = editor.page.locator(".personalq-clarify").get_by_role("status")
    element = status.element_handle()
    question = said(editor.run())["question"]
    expect(status).to_have_text(question["text"])
    assert element.evaluate(
        "(line) => line.isConnected"
    )  # only a line that stays is read out when it changes
    group = editor.page.get_by_role("group", name=question["text"])
    for number, choice in enumerate(question["choices"], 1):
        button = group.get_by_role("button", name=f"{choice['label']}: {choice['detail']}")
        expect(button).to_have_attribute("aria-keyshortcuts", str(number))
