"""Test the question with the keyboard alone, and what a screen reader is told.

In both renderers.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import (
    AMBIGUOUS,
    CHECK_IN,
    CLARIFY,
    ask,
    label,
    paste_copy,
    press_nowhere,
    said,
)


@pytest.mark.newest
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


@pytest.mark.newest
def test_a_number_chooses_without_any_focus(editor):
    ask(editor)
    second = label(editor.choices.nth(1))
    entry = editor.run(lambda: press_nowhere(editor, "2"))
    assert said(entry)["answered"] == [second]


def test_numbers_that_are_typed_elsewhere_choose_nothing(editor):
    ask(editor)
    before = editor.runs()
    editor.page.evaluate("() => { app.graph.add(LiteGraph.createNode('CLIPTextEncode')); }")
    field = editor.page.get_by_role("textbox", name="text", exact=True).last
    field.focus()
    editor.page.keyboard.type("2")
    expect(field).to_have_value("2")
    press_nowhere(editor, "Control+2")
    press_nowhere(editor, "9")
    editor.page.evaluate(
        "() => { app.extensionManager.command.execute('Comfy.ShowSettingsDialog'); }"
    )
    editor.page.get_by_role("dialog").first.wait_for()
    press_nowhere(editor, "1")
    editor.page.keyboard.press("Escape")
    editor.page.get_by_role("dialog").first.wait_for(state="hidden")
    assert editor.runs() == before
    expect(editor.question).to_be_visible()


@pytest.mark.beside_the_canvas
def test_no_number_is_taken_while_no_question_is_open(editor):
    script = """() => {
        window.heard = [];
        window.addEventListener("keydown", (event) => window.heard.push(event.key));
    }"""
    editor.page.evaluate(script)
    press_nowhere(editor, "1")
    ask(editor)
    editor.run(lambda: press_nowhere(editor, "2"))
    press_nowhere(editor, "3")
    assert editor.page.evaluate("() => window.heard") == ["1", "3"]


def test_of_two_questions_a_number_chooses_in_the_one_with_the_focus(editor):
    paste_copy(editor, CHECK_IN)
    editor.page.evaluate(
        f"""(request) => {{
            const nodes = app.graph.nodes.filter((node) => node.comfyClass === "{CHECK_IN}");
            for (const node of nodes) node.widgets[0].value = request;
            const preview = LiteGraph.createNode("PreviewAny");
            app.graph.add(preview);
            nodes[1].pos = [nodes[0].pos[0] + 420, nodes[0].pos[1]];
            nodes[1].connect(nodes[1].findOutputSlot("prompt"), preview, 0);
        }}""",
        AMBIGUOUS,
    )
    editor.run()
    expect(editor.question).to_have_count(2)
    before = editor.runs()
    press_nowhere(editor, "1")
    assert editor.runs() == before
    editor.choices.nth(0).focus()
    editor.run(lambda: editor.page.keyboard.press("1"))
    expect(editor.question).to_have_count(1)


def test_after_an_answer_the_keyboard_stays_in_the_node(editor):
    ask(editor)
    editor.choices.nth(0).focus()
    editor.run(lambda: editor.page.keyboard.press("Enter"))
    expect(editor.page.locator(".personalq-clarify")).to_be_focused()


@pytest.mark.beside_the_canvas
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
