"""Test the decision shown on Repo Check-in, and choosing another model with one click.

In both renderers.
"""

from __future__ import annotations

import json

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import AMBIGUOUS, CHECK_IN, CHOSEN, WHOLE_PROMPT

CLEAR = "my latest realistic bear on forest grass"


def decide(editor, request: str = CLEAR) -> dict:
    """Runs a request that needs no question; what Check-in said."""
    editor.set_value(CHECK_IN, "request", request)
    return said(editor.run())


def said(entry) -> dict:
    return next(
        out["personalq"][0]
        for out in entry["outputs"].values()
        if "outcome" in out.get("personalq", [{}])[0]
    )


def panel(editor):
    return editor.page.locator(".personalq-decision")


def offers(editor):
    return editor.page.locator("button.personalq-offer")


def undo(editor, name: str = "Decide again"):
    return panel(editor).get_by_role("button", name=name)


@pytest.mark.newest
def test_the_decision_is_on_the_node(editor):
    payload = decide(editor)
    shown = panel(editor)
    expect(shown.locator(".personalq-model .personalq-label")).to_have_text("bear_realistic_v4")
    expect(shown.locator(".personalq-model .personalq-dim")).to_contain_text("v4")
    expect(shown.locator(".personalq-model .personalq-dim")).to_contain_text("2026")
    expect(shown.get_by_role("status")).to_have_text(payload["why"])
    expect(shown.locator(".personalq-prompt")).to_have_text(
        "(left out: my latest ) realistic <bear-v4> on forest grass"
    )
    expect(shown.locator("mark")).to_have_text("<bear-v4>")
    pictures = shown.locator("img")
    expect(pictures).to_have_count(1 + len(payload["offers"]))
    for picture in pictures.all():
        editor.page.wait_for_function("(img) => img.naturalWidth > 0", arg=picture.element_handle())
    assert [offers(editor).nth(n).get_attribute("aria-label").split(",")[0] for n in range(3)] == [
        f"Use bear_realistic_v{n} instead" for n in (3, 2, 1)
    ]
    expect(undo(editor)).to_have_count(0)


FAIL = """([id, type, message]) => import("/scripts/api.js").then(({ api }) => api.dispatchEvent(
    new CustomEvent("execution_error", { detail: { prompt_id: "x", node_id: id,
        node_type: "PersonalQCheckIn", exception_type: type, exception_message: message } })))"""


@pytest.mark.beside_the_canvas
def test_what_a_lora_runs_on_is_shown_before_a_run_and_after_one_that_failed(editor):
    editor.set_value(CHECK_IN, "request", CLEAR)
    model = panel(editor).locator(".personalq-model .personalq-dim")
    expect(model).to_contain_text("LoRA · on demo_base")
    node = editor.saved_node(CHECK_IN)["id"]
    editor.page.evaluate(FAIL, [node, "RuntimeError", "no space left"])
    expect(panel(editor).locator(".personalq-failed")).to_contain_text("no space left")
    expect(model).to_contain_text("LoRA · on demo_base")
    note = "No model here has the trigger <moon-v1>."
    editor.set_value(CHECK_IN, "request", f"{CLEAR}, <moon-v1>")
    expect(panel(editor)).to_contain_text(note)
    editor.page.evaluate(FAIL, [node, "ValueError", note])
    expect(panel(editor).get_by_text(note)).to_have_count(1)
    editor.set_value(CHECK_IN, "request", f"{CLEAR}, at noon")
    expect(panel(editor).locator(".personalq-failed")).to_have_count(0)
    expect(model).to_contain_text("LoRA · on demo_base")


@pytest.mark.beside_the_canvas
def test_why_a_run_failed_stays_above_what_is_decided_later_until_the_request_changes(editor):
    held: list = []
    editor.page.route("**/personalq/preview", lambda route: held.append(route))
    with editor.page.expect_request("**/personalq/preview"):
        editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    node = editor.saved_node(CHECK_IN)["id"]
    editor.page.evaluate(FAIL, [node, "RuntimeError", "no space left"])
    failed = panel(editor).locator(".personalq-failed")
    expect(failed).to_contain_text("no space left")
    held[0].continue_()
    editor.page.unroute_all()
    expect(editor.choices.first).to_be_visible()
    expect(failed).to_contain_text("no space left")
    editor.page.evaluate(FAIL, [node, "RuntimeError", "no space left"])
    expect(editor.choices.first).to_be_visible()
    editor.set_value(CHECK_IN, "request", CLEAR)
    expect(panel(editor).locator(".personalq-model")).to_be_visible()
    expect(failed).to_have_count(0)


@pytest.mark.beside_the_canvas
def test_words_that_only_chose_are_struck_through_until_the_switch_keeps_them(editor):
    payload = decide(editor, f"{CLEAR}, from 2026")
    prompt = panel(editor).locator(".personalq-prompt")
    assert payload["prompt"] == "realistic <bear-v4> on forest grass"
    struck = prompt.locator("del")
    expect(struck).to_have_count(2)
    expect(struck.nth(0)).to_contain_text("my latest")
    expect(struck.nth(1)).to_contain_text(", from 2026")
    expect(struck.nth(0)).to_have_css("text-decoration-line", "line-through")
    expect(struck.locator(".personalq-spoken").first).to_have_text("(left out:")
    editor.set_value(CHECK_IN, "whole_prompt", True)
    assert (
        said(editor.run())["prompt"] == "my latest realistic <bear-v4> on forest grass, from 2026"
    )
    expect(struck).to_have_count(0)
    expect(prompt).to_have_text("my latest realistic <bear-v4> on forest grass, from 2026")
    assert editor.saved_node(CHECK_IN)["widgets_values"][WHOLE_PROMPT] is True


@pytest.mark.beside_the_canvas
def test_a_workflow_saved_before_the_switch_leaves_the_words_out(editor):
    workflow = editor.page.evaluate("() => app.graph.serialize()")
    saved = next(node for node in workflow["nodes"] if node["type"] == CHECK_IN)
    saved["widgets_values"] = saved["widgets_values"][:WHOLE_PROMPT]
    editor.page.evaluate("(saved) => app.loadGraphData(saved, true, true)", workflow)
    assert decide(editor)["prompt"] == "realistic <bear-v4> on forest grass"


@pytest.mark.newest
def test_a_runner_up_is_taken_with_one_click_and_given_back_with_another(editor):
    decide(editor)
    entry = editor.run(offers(editor).nth(0).click)
    assert editor.pictures(entry)
    assert said(entry)["card"]["name"] == "bear_realistic_v3"
    expect(panel(editor).get_by_role("status")).to_contain_text("You chose bear_realistic_v3")
    text = editor.value(CHECK_IN, "chosen")
    assert text.startswith(f"for: {CLEAR}\nmodel: bear_realistic_v3; ")
    assert editor.saved_node(CHECK_IN)["widgets_values"][CHOSEN] == text
    assert said(editor.run(undo(editor).click))["card"]["name"] == "bear_realistic_v4"
    assert editor.value(CHECK_IN, "chosen") == ""
    expect(undo(editor)).to_have_count(0)


@pytest.mark.beside_the_canvas
def test_an_undone_choice_takes_with_it_what_its_run_said(editor):
    decide(editor)
    editor.run(offers(editor).nth(0).click)
    expect(panel(editor).get_by_role("status")).to_contain_text("You chose bear_realistic_v3")
    editor.hold("Control+z")
    expect(panel(editor)).not_to_contain_text("You chose")
    assert editor.value(CHECK_IN, "chosen") == ""


def test_by_keyboard(editor):
    decide(editor)
    offers(editor).nth(1).focus()
    entry = editor.run(lambda: editor.page.keyboard.press("Enter"))
    assert said(entry)["card"]["name"] == "bear_realistic_v2"
    expect(undo(editor)).to_be_focused()
    assert (
        said(editor.run(lambda: editor.page.keyboard.press("Enter")))["card"]["name"]
        == "bear_realistic_v4"
    )


@pytest.mark.beside_the_canvas
def test_a_near_miss_is_a_button(editor):
    payload = decide(editor, "my December watercolour")
    expect(panel(editor).get_by_role("status")).to_have_text(payload["why"])
    first = offers(editor).nth(0)
    expect(first).to_contain_text("dog_watercolour_v2")
    expect(first).to_contain_text("'watercolour' in its name")
    entry = editor.run(first.click)
    assert editor.pictures(entry)
    assert said(entry)["prompt"] == "<dog-v2> watercolour"


def test_a_choice_is_for_its_request_and_comes_back_with_it(editor):
    decide(editor)
    editor.run(offers(editor).nth(0).click)
    assert (
        decide(editor, "my oldest realistic bear in the snow")["card"]["name"]
        == "bear_realistic_v1"
    )
    expect(panel(editor)).not_to_contain_text("bear_realistic_v3 for another")
    expect(undo(editor)).to_have_count(0)
    assert decide(editor)["card"]["name"] == "bear_realistic_v3"
    expect(undo(editor)).to_be_visible()


@pytest.mark.beside_the_canvas
def test_each_request_keeps_the_choice_that_was_made_for_it(editor):
    other = "my oldest realistic bear in the snow"
    decide(editor)
    editor.run(offers(editor).nth(0).click)
    assert decide(editor, other)["card"]["name"] == "bear_realistic_v1"
    second = said(editor.run(offers(editor).nth(1).click))["card"]["name"]
    payload = decide(editor)
    assert (payload["card"]["name"], payload["by_hand"]) == ("bear_realistic_v3", True)
    assert said(editor.run(undo(editor).click))["card"]["name"] == "bear_realistic_v4"
    payload = decide(editor, other)
    assert (payload["card"]["name"], payload["by_hand"]) == (second, True)
    said(editor.run(undo(editor).click))
    assert editor.value(CHECK_IN, "chosen") == ""


def test_choice_and_decision_survive_a_reload_and_a_copy(editor):
    decide(editor)
    editor.run(offers(editor).nth(0).click)
    name = panel(editor).locator(".personalq-model .personalq-label")
    expect(name).to_have_text("bear_realistic_v3")
    text = editor.value(CHECK_IN, "chosen")
    copied = editor.page.evaluate(
        """(type) => {
            const node = app.graph.nodes.find((n) => n.comfyClass === type).clone();
            return node.widgets.find((w) => w.name === "chosen").value;
        }""",
        CHECK_IN,
    )
    assert copied == text
    editor.page.wait_for_timeout(1000)  # the page saves its draft half a second after a change
    editor.reload()
    assert editor.value(CHECK_IN, "chosen") == text
    expect(name).to_have_text("bear_realistic_v3")
    expect(undo(editor)).to_be_visible()


@pytest.mark.beside_the_canvas
def test_the_saved_workflow_names_the_model_it_was_made_with_and_no_other_or_path(editor, host):
    decide(editor)
    node = editor.saved_node(CHECK_IN)
    assert node["properties"]["personalq_made_with"].startswith(
        f"for: {CLEAR}\nmodel: bear_realistic_v4; strength: 1; "
    )
    text = json.dumps(editor.saved())
    assert "bear_realistic_v3" not in text
    assert str(host.models) not in text
    assert str(host.base_directory) not in text
