"""Test that a question appears at its own node, wherever that is, and leads to it.

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
    notes,
    pins,
    said,
)
from personalq.tests.browser.page import FIND


@pytest.fixture
def asking(editor):
    """The editor with a request that will ask, and no notes on tabs of other tests."""
    while notes(editor).count():
        notes(editor).first.get_by_role("button", name="Close").click()
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    return editor


def in_middle(editor) -> bool:
    """Whether the question is well inside of the page."""
    box = editor.question.bounding_box()
    return 0 < box["x"] < 1400 - box["width"] and 50 < box["y"] < 850


def test_a_collapsed_node_has_a_pin_and_a_note_that_lead_to_it(asking):
    asking.collapse(CHECK_IN)
    entry = asking.run()
    note = notes(asking).filter(has_text=said(entry)["question"]["text"])
    expect(note).to_contain_text('Expand the node "Repo Check-in"')
    expect(pins(asking)).to_have_count(1)
    note.get_by_role("button", name="Show").click()
    expect(asking.choices.nth(0)).to_be_focused()
    expect(pins(asking)).to_have_count(0)
    expect(notes(asking)).to_have_count(0)
    assert in_middle(asking)


def test_a_pin_moves_with_its_node_and_leads_to_it(asking):
    asking.collapse(CHECK_IN)
    asking.run()
    before = pins(asking).bounding_box()
    asking.page.evaluate(
        "() => { app.canvas.ds.offset[0] += 120; app.canvas.setDirty(true, true); }"
    )
    asking.page.wait_for_timeout(300)
    assert pins(asking).bounding_box()["x"] == pytest.approx(before["x"] + 120, abs=2)
    asking.page.get_by_role("button", name="A question waits in “Repo Check-in”. Show it.").click()
    expect(asking.choices.nth(0)).to_be_focused()


def test_a_node_out_of_view_is_led_to(asking):
    asking.page.evaluate(
        "() => { app.canvas.ds.offset[0] -= 3000; app.canvas.setDirty(true, true); }"
    )
    asking.run()
    expect(notes(asking)).to_contain_text("Scroll to the node")
    notes(asking).get_by_role("button", name="Show").click()
    expect(asking.choices.nth(0)).to_be_focused()
    assert in_middle(asking)


def test_a_closed_subgraph_is_led_into_and_answered_inside(asking):
    asking.into_subgraph(CLARIFY, CHECK_IN)
    asking.run()
    expect(notes(asking)).to_contain_text("Open the subgraph “New Subgraph”")
    asking.page.get_by_role("button", name="A question waits in “New Subgraph”. Show it.").click()
    expect(asking.choices.nth(0)).to_be_focused()
    expect(notes(asking)).to_have_count(0)
    assert asking.pictures(asking.run(asking.choices.nth(0).click))
    expect(pins(asking)).to_have_count(0)


def test_clarify_alone_in_a_subgraph_gets_the_answer(asking):
    asking.into_subgraph(CLARIFY)
    asking.run()
    assert said(asking.run(asking.choices.nth(1).click))["outcome"] == "select"
    assert asking.value(CHECK_IN, "answers") == ""
    asking.open_subgraph()
    script = "(type) => app.canvas.graph.nodes.find((n) => n.comfyClass === type).widgets[0].value"
    assert asking.page.evaluate(script, CLARIFY).startswith(f"for: {AMBIGUOUS}\n")


def test_what_a_node_out_of_view_says_is_told_once(asking):
    asking.set_value(CHECK_IN, "request", "a watercolour bear")
    asking.collapse(CHECK_IN)
    why = said(asking.run())["why"]
    expect(notes(asking)).to_have_count(1)
    expect(notes(asking)).to_contain_text(why)
    asking.run()
    expect(notes(asking)).to_have_count(1)
    notes(asking).get_by_role("button", name="Show").click()
    expect(asking.page.locator(".personalq-decision").get_by_text(why)).to_be_visible()
    expect(notes(asking)).to_have_count(0)


@pytest.mark.beside_the_canvas
def test_a_question_that_another_run_followed_is_told(asking):
    clear = ("my latest realistic bear", "my oldest realistic bear")
    for request in (clear[0], AMBIGUOUS, clear[1]):
        asking.set_value(CHECK_IN, "request", request)
        asking.page.evaluate("() => app.queuePrompt(0, 1)")
    note = notes(asking)
    expect(note).to_contain_text(f"“{AMBIGUOUS}” drew nothing, it only asked: Which look")
    decided = asking.page.locator(".personalq-decision .personalq-model .personalq-label")
    expect(decided).to_have_text("bear_realistic_v1")
    note.get_by_role("button", name="Show").hover()
    expect(note).to_have_count(1)
    asking.set_value(CHECK_IN, "request", AMBIGUOUS)
    expect(note).to_have_count(0)
    expect(asking.question).to_be_visible()


def test_an_error_is_said_on_the_node_or_else_by_one_toast(asking):
    asking.set_value(CHECK_IN, "request", "")
    asking.run()
    failed = asking.page.locator(".personalq-failed")
    expect(failed).to_contain_text("The request is empty")
    own = asking.toasts.filter(has_text="The request is empty")
    expect(own).to_have_count(0)
    asking.collapse(CHECK_IN)
    asking.run()
    expect(own).to_have_count(1)
    asking.run()
    expect(own).to_have_count(1)


def test_a_note_that_is_closed_leaves_the_pin(asking):
    asking.collapse(CHECK_IN)
    asking.run()
    notes(asking).get_by_role("button", name="Close").click()
    expect(notes(asking)).to_have_count(0)
    expect(pins(asking)).to_have_count(1)


def _another(workflow):
    """The workflow with an id that no open tab has, so that it is no other state of one."""
    return {**workflow, "id": str(uuid.uuid4())}


def test_a_note_says_where_the_question_is_now(asking, template):
    asking.collapse(CHECK_IN)
    asking.run()
    expect(notes(asking)).to_contain_text('Expand the node "Repo Check-in"')
    asking.load(_another(template), "another_workflow")
    expect(notes(asking)).to_contain_text("It is in another workflow tab.")
    asking.previous_tab()
    expect(notes(asking)).to_contain_text('Expand the node "Repo Check-in"')


def test_a_reload_keeps_the_pin(asking):
    asking.collapse(CHECK_IN)
    asking.run()
    expect(pins(asking)).to_have_count(1)
    asking.page.wait_for_timeout(1000)  # the page saves its draft half a second after a change
    asking.reload()
    expect(pins(asking)).to_have_count(1)


@pytest.mark.newest
def test_a_question_waits_for_its_own_workflow_and_leads_there(asking, template):
    held = []  # what the question waits for, so that the tab is changed first
    asking.page.route("**/api/jobs/*", lambda route: held.append(route))
    asking.run(until_shown=False)
    asking.load(_another(template), "another_workflow")
    for request in held:
        request.continue_()
    asking.page.unroute("**/api/jobs/*")
    expect(notes(asking)).to_contain_text("It is in another workflow tab.")
    expect(asking.question).to_have_count(0)
    notes(asking).get_by_role("button", name="Show").click()
    expect(asking.choices.nth(0)).to_be_focused()
    asking.load(_another(template), "a_third_workflow")
    expect(asking.question).to_have_count(0)
    expect(pins(asking)).to_have_count(0)
    asking.previous_tab()
    expect(asking.question).to_have_count(0)
    asking.previous_tab()
    expect(asking.question).to_be_visible()


def test_two_questions_reach_their_own_nodes(asking):
    asking.page.evaluate(
        f"""(request) => {{
            {FIND}
            const first = find("{CLARIFY}");
            const add = (type, x) => {{
                const node = LiteGraph.createNode(type);
                node.pos = [x, first.pos[1] + 900];
                app.graph.add(node);
                return node;
            }};
            const clarify = add("{CLARIFY}", 0);
            const checkIn = add("{CHECK_IN}", 450);
            const preview = add("PreviewAny", 900);
            clarify.connect(0, checkIn, "clarifier");
            checkIn.connect(checkIn.findOutputSlot("prompt"), preview, 0);
            checkIn.widgets.find((widget) => widget.name === "request").value = request;
        }}""",
        OTHER,
    )
    asking.run()
    expect(asking.question).to_have_count(2)
    asked = {
        node["id"]: node["properties"][OPEN_QUESTION]["request"]
        for node in asking.saved()["nodes"]
        if node["type"] == CHECK_IN
    }
    assert sorted(asked.values()) == [AMBIGUOUS, OTHER]
    asking.run(asking.choices.nth(0).click)
    expect(asking.question).to_have_count(1)
    (left,) = (
        node["properties"][OPEN_QUESTION]["request"]
        for node in asking.saved()["nodes"]
        if node["type"] == CHECK_IN and OPEN_QUESTION in node["properties"]
    )
    kept = {n["widgets_values"][0] for n in asking.saved()["nodes"] if n["type"] == CLARIFY}
    (answered,) = kept - {""}
    assert answered.startswith("for: ")
    assert not answered.startswith(f"for: {left}")
