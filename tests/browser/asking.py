"""An ambiguous request and its question, for the tests of asking."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from personalq.tests.browser.page import FIND, Editor

AMBIGUOUS = "a bear on forest grass"
OTHER = "a dog in the snow"
CHECK_IN, CLARIFY = "PersonalQCheckIn", "PersonalQClarify"
CHOSEN, WHOLE_PROMPT, ANSWERS = 4, 5, 7
"""Where these inputs of Repo Check-in are among the values that a workflow saves."""
OPEN_QUESTION = "personalq_question"


def ask(editor: Editor, request: str = AMBIGUOUS) -> None:
    """Runs an ambiguous request and waits for its question."""
    editor.set_value(CHECK_IN, "request", request)
    entry = editor.run()
    assert entry["status"]["status_str"] == "success"
    assert not editor.pictures(entry)
    wait_for_run(editor)
    expect(editor.question).to_be_visible()


def wait_for_run(editor: Editor) -> None:
    """Waits until the page shows the question of a run; that of a preview does not start one."""
    editor.page.wait_for_function(f"""() => {{
        {FIND}
        const asked = find("{CHECK_IN}").properties.{OPEN_QUESTION};
        return asked && !asked.preview;
    }}""")


def said(entry: dict[str, Any]) -> dict[str, Any]:
    """What Check-in said in a run."""
    return next(
        out["personalq"][0]
        for out in entry["outputs"].values()
        if "outcome" in out.get("personalq", [{}])[0]
    )


def label(choice: Locator) -> str:
    """The words of a choice."""
    return choice.locator(".personalq-label").inner_text()


def answers(editor: Editor) -> Locator:
    """The answers given so far, as the node lists them."""
    return editor.page.locator(".personalq-answer")


def pins(editor: Editor) -> Locator:
    """The buttons above nodes that hide a question."""
    return editor.page.locator(".personalq-pin")


def notes(editor: Editor) -> Locator:
    """The notes that lead to a question."""
    return editor.page.locator(".personalq-note")


def without_clarify(editor: Editor) -> None:
    """Removes the Clarify node."""
    editor.page.evaluate(f"() => {{ {FIND} app.graph.remove(find('{CLARIFY}')); }}")


def press_nowhere(editor: Editor, keys: str) -> None:
    """Presses keys with the focus on nothing."""
    editor.page.evaluate("() => document.activeElement.blur()")
    editor.page.keyboard.press(keys)


def paste_copy(editor: Editor, node_type: str) -> None:
    """Copies the first node of this type and pastes it."""
    script = f"""(type) => {{
        {FIND}
        app.canvas.selectItems([find(type)]);
        app.canvas.copyToClipboard();
        app.canvas.pasteFromClipboard();
    }}"""
    editor.page.evaluate(script, node_type)
