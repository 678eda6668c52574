"""Test that Repo Check-in decides while a request is typed, without a run.

In both renderers.
"""

from __future__ import annotations

import json
import uuid

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN
from personalq.tests.browser.page import FIND, small_template

CLEAR = "my latest realistic bear on a hill"


def panel(editor):
    return editor.page.locator(".personalq-decision")


def preview(editor):
    return panel(editor).locator(".personalq-preview")


def name(editor):
    return panel(editor).locator(".personalq-model .personalq-label")


KEYS = """(box, text) => [...text].forEach((letter, place) => setTimeout(() => {
    box.value += letter;
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}, 30 * place))"""
"""Types a text in a box, a letter each 30 ms by the page's own clock: also where the machine stops
for a moment.
"""


def request_box(editor):
    """The text field of the request; the fields of other tabs may still be drawn for a moment."""
    request = editor.value(CHECK_IN, "request")
    boxes = editor.page.locator("textarea").filter(visible=True)
    editor.page.wait_for_timeout(300)
    (box,) = (one for one in boxes.element_handles() if one.input_value() == request)
    return box


@pytest.mark.newest
def test_what_a_run_would_choose_is_shown_while_typing(editor):
    before = editor.runs()
    box = request_box(editor)
    box.fill("")
    box.type("bear cartoon v2 in the rain", delay=20)
    expect(preview(editor)).to_be_visible()
    expect(name(editor)).to_have_text("bear_cartoon_v2")
    expect(panel(editor).locator("mark")).to_have_text("<toon-bear-v2>")
    box.fill("bear realistic v3 in the rain")
    expect(name(editor)).to_have_text("bear_realistic_v3")
    assert editor.runs() == before
    assert "personalq_said" not in editor.saved_node(CHECK_IN)["properties"]


def test_a_question_stays_while_more_is_typed(editor):
    """What a preview asks is not said to be outdated: the next preview follows at once."""
    editor.set_value(CHECK_IN, "request", "a bear")
    expect(editor.choices).to_have_count(2)
    editor.page.route("**/personalq/preview", lambda route: None)
    editor.set_value(CHECK_IN, "request", "a bear in")
    editor.page.wait_for_timeout(500)
    expect(editor.choices).to_have_count(2)
    expect(editor.page.get_by_text("This was asked about")).to_have_count(0)
    editor.page.unroute_all()
    editor.reload()


def test_a_run_takes_the_place_of_the_preview_and_typing_it_again_shows_the_run(editor):
    editor.set_value(CHECK_IN, "request", CLEAR)
    expect(preview(editor)).to_be_visible()
    editor.run()
    expect(preview(editor)).to_have_count(0)
    expect(name(editor)).to_have_text("bear_realistic_v4")
    editor.set_value(CHECK_IN, "request", "bear cartoon v2")
    expect(preview(editor)).to_be_visible()
    expect(name(editor)).to_have_text("bear_cartoon_v2")
    saved = editor.saved_node(CHECK_IN)["properties"]["personalq_said"]
    assert saved["card"]["name"] == "bear_realistic_v4"
    editor.set_value(CHECK_IN, "request", CLEAR)
    expect(preview(editor)).to_have_count(0)
    expect(name(editor)).to_have_text("bear_realistic_v4")


@pytest.mark.beside_the_canvas
def test_nothing_fits_and_the_nearest_is_taken_from_the_preview(editor):
    editor.set_value(CHECK_IN, "request", "my zebra on a bicycle")
    expect(preview(editor)).to_be_visible()
    expect(name(editor)).to_have_count(0)
    editor.set_value(CHECK_IN, "request", "")
    expect(preview(editor)).to_have_count(0)


@pytest.mark.beside_the_canvas
def test_other_inputs_decide_too(editor):
    editor.set_value(CHECK_IN, "request", CLEAR)
    expect(name(editor)).to_have_text("bear_realistic_v4")
    expect(panel(editor).locator("del")).to_have_count(1)
    editor.set_value(CHECK_IN, "whole_prompt", True)
    expect(panel(editor).locator("del")).to_have_count(0)
    editor.set_value(CHECK_IN, "base_model", "SDXL")
    expect(name(editor)).to_have_count(0)
    expect(panel(editor)).to_contain_text("SDXL")


@pytest.mark.beside_the_canvas
def test_answers_typed_into_clarify_decide_too(editor):
    asked = "a bear on forest grass"
    editor.set_value(CHECK_IN, "request", asked)
    expect(editor.choices).to_have_count(2)
    editor.set_value("PersonalQClarify", "answer", f"for: {asked}\nthe cartoon one")
    expect(editor.choices).to_have_count(0)
    expect(name(editor)).to_have_text("bear_cartoon_v2")
    expect(preview(editor)).to_be_visible()
    editor.run()
    expect(preview(editor)).to_have_count(0)
    editor.set_value("PersonalQClarify", "answer", f"for: {asked}\nthe realistic one")
    expect(preview(editor)).to_be_visible()
    expect(name(editor)).to_have_text("bear_realistic_v4")


@pytest.mark.beside_the_canvas
def test_what_clarify_does_when_unsure_decides_too(editor):
    editor.set_value(CHECK_IN, "request", "a bear on forest grass")
    expect(editor.choices).to_have_count(2)
    editor.set_value("PersonalQClarify", "when_unsure", "best match")
    expect(name(editor)).to_have_count(1)
    expect(editor.choices).to_have_count(0)
    editor.set_value("PersonalQClarify", "when_unsure", "ask")
    expect(editor.choices).to_have_count(2)


def test_what_is_connected_decides_too(editor):
    editor.load(
        small_template("4-Inside-your-own-workflow-PersonalQ", side=64, steps=2), "own_model"
    )
    editor.set_value(CHECK_IN, "request", "my realistic dog")
    expect(panel(editor)).to_contain_text("disconnect `model` to load it")
    editor.page.evaluate(
        f"""() => {{
            {FIND}
            const node = find("{CHECK_IN}");
            for (const name of ["model", "clip", "vae"]) {{
                node.disconnectInput(node.findInputSlot(name));
            }}
        }}"""
    )
    expect(name(editor)).to_have_text("dog_realistic")


@pytest.mark.beside_the_canvas
def test_what_cannot_be_read_is_said(editor):
    editor.set_value(CHECK_IN, "request", "a bear " * 700)
    expect(panel(editor)).to_contain_text("longer than 4,000 characters")


@pytest.mark.beside_the_canvas
def test_a_run_that_was_overtaken_does_not_take_the_place_of_the_preview(editor):
    """A model is picked in the preview while a run of the request is under way."""
    editor.set_value(CHECK_IN, "request", CLEAR)
    expect(name(editor)).to_have_text("bear_realistic_v4")

    def pick_while_it_runs():
        with editor.page.expect_request("**/api/prompt"):
            editor.page.route("**/api/prompt", lambda route: sent.append(route))
            editor.queue()
        editor.page.get_by_role("button", name="Use bear_realistic_v3 instead").click()
        sent[0].continue_()
        editor.page.unroute("**/api/prompt")

    sent = []
    editor.run(pick_while_it_runs)
    expect(name(editor)).to_have_text("bear_realistic_v3")
    editor.page.wait_for_timeout(1000)
    expect(name(editor)).to_have_text("bear_realistic_v3")
    expect(preview(editor)).to_be_visible()


@pytest.mark.beside_the_canvas
def test_keys_are_answered_one_after_another(editor):
    expect(editor.page.locator(".personalq-preview")).to_be_visible()  # of the loaded workflow
    asked = []

    def keep(route):
        asked.append(json.loads(route.request.post_data)["request"])
        route.continue_()

    editor.page.route("**/personalq/preview", keep)
    try:
        box = request_box(editor)
        box.fill("")
        box.evaluate(KEYS, "bear cartoon v2")
        expect(name(editor)).to_have_text("bear_cartoon_v2")
        assert asked == ["bear cartoon v2"]
    finally:
        editor.page.unroute("**/personalq/preview")


@pytest.mark.beside_the_canvas
def test_an_answer_that_comes_too_late_is_not_shown(editor):
    slow = []

    def hold(route):
        if "cartoon" in route.request.post_data and not slow:
            slow.append(route)
        else:
            route.continue_()

    editor.page.route("**/personalq/preview", hold)
    try:
        editor.set_value(CHECK_IN, "request", "bear cartoon v2")
        expect(panel(editor)).to_contain_text("Reading your models")
        editor.set_value(CHECK_IN, "request", "bear realistic v3")
        editor.page.wait_for_timeout(500)
        slow[0].continue_()
        expect(name(editor)).to_have_text("bear_realistic_v3")
    finally:
        editor.page.unroute("**/personalq/preview")


def test_what_a_workflow_saved_stays_while_the_models_are_read(editor):
    editor.run()
    expect(name(editor)).to_have_text("bear_realistic_v4")
    saved = {**editor.saved(), "id": str(uuid.uuid4())}
    held = []
    editor.page.route("**/personalq/preview", lambda route: held.append(route))
    try:
        editor.load(saved, "opened_later")
        expect(panel(editor)).to_contain_text("Reading your models")
        expect(name(editor)).to_have_text("bear_realistic_v4")
        held[-1].fulfill(status=500, json={"error": "The disk is gone."})
        expect(panel(editor)).to_contain_text("The disk is gone.")
        expect(panel(editor)).not_to_contain_text("Reading your models")
        expect(name(editor)).to_have_text("bear_realistic_v4")
        editor.set_value(CHECK_IN, "request", "bear cartoon v2")
        expect(panel(editor)).to_contain_text("Reading your models")
        expect(name(editor)).to_have_count(0)
    finally:
        editor.page.unroute_all()
        editor.errors.clear()  # of the status above


@pytest.mark.parametrize("request_text", ["bear cartoon v2 in the rain"])
def test_a_changed_chip_of_a_preview_is_used_by_the_run(editor, request_text):
    editor.set_value(CHECK_IN, "request", request_text)
    expect(preview(editor)).to_be_visible()
    field = panel(editor).get_by_label("Strength of bear_cartoon_v2")
    field.fill("0.5")
    field.press("Enter")
    expect(preview(editor)).to_be_visible()
    editor.run()
    expect(preview(editor)).to_have_count(0)
    expect(panel(editor).get_by_label("Strength of bear_cartoon_v2")).to_have_value("0.5")


@pytest.mark.beside_the_canvas
def test_a_model_that_other_words_name_is_added_to_the_preview(editor):
    editor.set_value(CHECK_IN, "request", "bear realistic v3 with a dog")
    expect(preview(editor)).to_be_visible()
    expect(name(editor)).to_have_text("bear_realistic_v3")
    add = panel(editor).get_by_role("button", name="Add ").first
    added = add.locator(".personalq-label").inner_text()
    before = editor.runs()
    add.click()
    expect(name(editor)).to_have_text(["bear_realistic_v3", added])
    expect(preview(editor)).to_be_visible()
    assert editor.runs() == before
    assert added in editor.value(CHECK_IN, "chosen")


@pytest.mark.beside_the_canvas
def test_where_nothing_fits_the_base_draws_alone(editor):
    editor.set_value(CHECK_IN, "request", "a zebra on a bicycle")
    expect(preview(editor)).to_be_visible()
    alone = panel(editor).get_by_role("button", name="Use demo_base instead")
    expect(alone).to_contain_text("without a LoRA")
    alone.click()
    expect(name(editor)).to_have_text("demo_base")
    expect(panel(editor).locator(".personalq-prompt")).to_have_text("a zebra on a bicycle")


@pytest.mark.newest
def test_a_question_is_answered_before_a_run(editor):
    before = editor.runs()
    editor.set_value(CHECK_IN, "request", "a bear in the rain")
    choice = panel(editor).page.locator(".personalq-choice").first
    expect(choice).to_be_visible()
    expect(preview(editor)).to_be_visible()
    choice.click()
    expect(name(editor)).to_be_visible()
    expect(editor.page.locator(".personalq-answer")).to_have_count(1)
    assert editor.runs() == before
    shown = name(editor).inner_text()
    editor.run()
    expect(preview(editor)).to_have_count(0)
    expect(name(editor)).to_have_text(shown)


def test_the_question_of_a_run_comes_back_with_its_request(editor):
    editor.set_value(CHECK_IN, "request", "a bear in the rain")
    editor.run()
    choices = editor.page.locator(".personalq-choice")
    expect(choices.first).to_be_visible()
    expect(preview(editor)).to_have_count(0)
    editor.set_value(CHECK_IN, "request", "bear cartoon v2 in the rain")
    expect(name(editor)).to_have_text("bear_cartoon_v2")
    expect(choices).to_have_count(0)
    editor.set_value(CHECK_IN, "request", "a bear in the rain")
    expect(choices.first).to_be_visible()
    expect(preview(editor)).to_have_count(0)
