"""Test a request that fits several models: the question on Repo Check-in, and its answers.

In both renderers.
"""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import (
    AMBIGUOUS,
    ANSWERS,
    CHECK_IN,
    CLARIFY,
    OPEN_QUESTION,
    OTHER,
    answers,
    ask,
    label,
    notes,
    said,
    wait_for_run,
    without_clarify,
)
from personalq.tests.browser.page import FIND


def test_the_question_shows_choices_with_pictures(editor):
    ask(editor)
    assert editor.choices.count() == 2
    for choice in editor.choices.all():
        expect(choice.locator(".personalq-label")).not_to_be_empty()
        expect(choice.locator(".personalq-dim")).not_to_be_empty()
        expect(choice.locator("img")).to_be_visible()
        editor.page.wait_for_function(
            "(img) => img.naturalWidth > 0", arg=choice.locator("img").element_handle()
        )
    asked = editor.saved_node(CHECK_IN)["properties"][OPEN_QUESTION]
    assert [choice["label"] for choice in asked["choices"]] == editor.choices.locator(
        ".personalq-label"
    ).all_inner_texts()


@pytest.mark.newest
def test_a_click_answers_and_the_run_finishes(editor):
    ask(editor)
    chosen = label(editor.choices.nth(1))
    entry = editor.run(editor.choices.nth(1).click)
    assert editor.pictures(entry)
    assert said(entry)["outcome"] == "select"
    assert said(entry)["answered"] == [chosen]
    expect(editor.question).to_have_count(0)
    assert editor.value(CLARIFY, "answer") == f"for: {AMBIGUOUS}\n{chosen}"
    saved = editor.saved_node(CLARIFY)
    assert saved["widgets_values"] == [f"for: {AMBIGUOUS}\n{chosen}", "ask"]
    assert OPEN_QUESTION not in editor.saved_node(CHECK_IN)["properties"]
    assert editor.value(CHECK_IN, "answers") == ""


def test_without_clarify_the_answer_is_kept_in_check_in(editor):
    without_clarify(editor)
    ask(editor)
    chosen = label(editor.choices.nth(1))
    entry = editor.run(editor.choices.nth(1).click)
    assert editor.pictures(entry)
    assert said(entry)["answered"] == [chosen]
    text = f"for: {AMBIGUOUS}\n{chosen}"
    assert editor.saved_node(CHECK_IN)["widgets_values"][ANSWERS] == text
    expect(answers(editor)).to_contain_text([chosen])
    editor.load(editor.saved(), "with_the_answer")
    assert said(editor.run())["outcome"] == "select"
    editor.page.get_by_role("button", name="Ask me again").click()
    assert editor.value(CHECK_IN, "answers") == ""
    ask(editor)


@pytest.mark.beside_the_canvas
def test_an_answer_holds_while_the_request_asks_for_the_same(editor):
    without_clarify(editor)
    ask(editor)
    chosen = label(editor.choices.nth(1))
    editor.run(editor.choices.nth(1).click)
    editor.set_value(CHECK_IN, "request", f"{AMBIGUOUS}, at night")
    expect(answers(editor)).to_contain_text([chosen])
    entry = editor.run()
    assert (said(entry)["outcome"], said(entry)["answered"]) == ("select", [chosen])
    expect(answers(editor)).to_contain_text([chosen])
    editor.page.get_by_role("button", name="Ask me again").click()
    assert editor.value(CHECK_IN, "answers") == ""
    expect(answers(editor)).to_have_count(0)


@pytest.mark.beside_the_canvas
def test_the_answers_to_two_requests_are_kept(editor):
    without_clarify(editor)
    for request in (AMBIGUOUS, OTHER):
        ask(editor, request)
        chosen = label(editor.choices.nth(1))
        editor.run(editor.choices.nth(1).click)
        expect(answers(editor)).to_contain_text([chosen])
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    expect(answers(editor)).to_have_count(1)
    assert said(editor.run())["outcome"] == "select"


@pytest.mark.beside_the_canvas
def test_what_is_not_understood_is_said_and_gives_way_to_the_next_answer(editor):
    without_clarify(editor)
    ask(editor)
    field = editor.page.get_by_placeholder("or type an answer")
    field.fill("blargh")
    editor.run(lambda: field.press("Enter"))
    expect(editor.question).to_have_text(re.compile("^I did not understand 'blargh'. Which look"))
    expect(editor.choices).to_have_count(2)
    expect(answers(editor)).to_have_count(0)
    field.fill("the older one")
    entry = editor.run(lambda: field.press("Enter"))
    assert said(entry)["card"]["name"] == "bear_cartoon_v2"
    assert editor.value(CHECK_IN, "answers") == f"for: {AMBIGUOUS}\nthe older one"


@pytest.mark.beside_the_canvas
def test_a_question_takes_the_place_of_the_last_decision(editor):
    editor.run()
    model = editor.page.locator(".personalq-decision .personalq-model")
    expect(model).to_have_count(1)
    ask(editor)
    expect(model).to_have_count(0)
    expect(notes(editor).filter(has_not_text="another workflow tab")).to_have_count(0)
    expect(editor.page.locator(".p-toast-message-warn")).to_have_count(0)
    editor.run(editor.choices.nth(0).click)
    expect(model).to_have_count(1)


def test_a_decision_does_not_stay_beside_another_request(editor):
    editor.run()
    decision = editor.page.locator(".personalq-decision")
    before = editor.value(CHECK_IN, "request")
    editor.set_value(CHECK_IN, "request", "my zebra")
    expect(decision).to_contain_text("zebra")
    editor.set_value(CHECK_IN, "request", "")
    expect(decision).to_have_text("Not run yet.")
    editor.set_value(CHECK_IN, "request", f"{before} ")
    expect(decision.locator(".personalq-model")).to_have_count(1)
    expect(decision).not_to_contain_text("Preview")


@pytest.mark.beside_the_canvas
def test_one_clarify_keeps_the_answers_of_two(editor):
    editor.page.evaluate(
        f"""(request) => {{
            {FIND}
            const checkIn = LiteGraph.createNode("{CHECK_IN}");
            const preview = LiteGraph.createNode("PreviewAny");
            const first = find("{CHECK_IN}");
            checkIn.pos = [first.pos[0], first.pos[1] + 800];
            preview.pos = [first.pos[0] + 400, first.pos[1] + 800];
            app.graph.add(checkIn);
            app.graph.add(preview);
            find("{CLARIFY}").connect(0, checkIn, "clarifier");
            checkIn.connect(checkIn.findOutputSlot("prompt"), preview, 0);
            checkIn.widgets.find((widget) => widget.name === "request").value = request;
        }}""",
        OTHER,
    )
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    editor.run()
    expect(editor.question).to_have_count(2)
    for left in (1, 0):
        entry = editor.run(lambda: editor.choices.nth(0).dispatch_event("click"))
        expect(editor.question).to_have_count(left)
    outcomes = [
        out["personalq"][0]["outcome"]
        for out in entry["outputs"].values()
        if "outcome" in out.get("personalq", [{}])[0]
    ]
    assert outcomes == ["select", "select"]
    text = editor.value(CLARIFY, "answer")
    assert {f"for: {AMBIGUOUS}", f"for: {OTHER}"} <= set(text.split("\n"))
    assert len(text.split("\n")) == 4


def test_a_click_by_keyboard_answers(editor):
    ask(editor)
    editor.choices.nth(0).focus()
    editor.page.keyboard.press(
        "Delete"
    )  # would delete the node, were the key not kept from the canvas
    editor.page.keyboard.press("Tab")
    assert said(editor.run(lambda: editor.page.keyboard.press("Enter")))["outcome"] == "select"


def test_typed_words_answer(editor):
    ask(editor)
    field = editor.page.get_by_placeholder("or type an answer")
    field.fill("the cartoon one")
    entry = editor.run(lambda: field.press("Enter"))
    assert editor.pictures(entry)
    assert said(entry)["card"]["name"] == "bear_cartoon_v2"
    assert editor.value(CLARIFY, "answer") == f"for: {AMBIGUOUS}\nthe cartoon one"


@pytest.mark.beside_the_canvas
def test_half_typed_words_outlast_a_run_that_asks_the_same(editor):
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    field = editor.page.get_by_placeholder("or type an answer")
    field.press_sequentially("the car")  # into the question of the preview
    entry = editor.run()
    wait_for_run(editor)
    field.press_sequentially("toon one")
    expect(field).to_be_focused()
    assert not editor.pictures(entry)
    assert said(editor.run(lambda: field.press("Enter")))["card"]["name"] == "bear_cartoon_v2"


def test_a_reload_keeps_the_open_question(editor):
    ask(editor)
    before = editor.choices.all_text_contents()
    editor.page.wait_for_timeout(1000)  # the page saves its draft half a second after a change
    editor.reload()
    expect(editor.question).to_be_visible()
    assert editor.choices.all_text_contents() == before
    assert editor.pictures(editor.run(editor.choices.nth(0).click))


def test_a_changed_request_asks_anew(editor):
    ask(editor)
    editor.run(editor.choices.nth(0).click)
    ask(editor, "a dog in the snow")
    chosen = label(editor.choices.nth(0))
    entry = editor.run(editor.choices.nth(0).click)
    assert said(entry)["answered"] == [chosen]
    assert editor.value(CLARIFY, "answer").endswith(f"\nfor: a dog in the snow\n{chosen}")


@pytest.mark.beside_the_canvas
def test_a_saved_workflow_with_its_answer_runs_without_asking(editor, host):
    ask(editor)
    editor.run(editor.choices.nth(1).click)
    workflow = editor.saved()
    host.post("/free", {"unload_models": False, "free_memory": True})
    editor.load(workflow)
    entry = editor.run()
    assert editor.pictures(entry)
    assert said(entry)["outcome"] == "select"
    expect(editor.question).to_have_count(0)


def test_an_answer_is_taken_back(editor):
    ask(editor)
    chosen = label(editor.choices.nth(1))
    editor.run(editor.choices.nth(1).click)
    editor.set_value(CLARIFY, "answer", f"for: {AMBIGUOUS}\n{chosen}\nthe newest")
    expect(answers(editor)).to_have_count(2)
    editor.page.get_by_role("button", name="Take back “the newest”").click()
    assert editor.value(CLARIFY, "answer") == f"for: {AMBIGUOUS}\n{chosen}"
    expect(answers(editor)).to_contain_text([chosen])
    editor.page.get_by_role("button", name=f"Take back “{chosen}”").click()
    assert editor.value(CLARIFY, "answer") == ""
    editor.run()
    expect(editor.question).to_be_visible()


def test_ask_me_again_brings_the_question_back(editor):
    ask(editor)
    editor.run(editor.choices.nth(1).click)
    editor.page.get_by_role("button", name="Ask me again").click()
    assert editor.value(CLARIFY, "answer") == ""
    editor.run()  # the server has this outcome in its cache, and must say it all the same
    expect(editor.question).to_be_visible()


@pytest.mark.beside_the_canvas
def test_a_question_that_the_server_has_in_its_cache_is_asked_too(editor, template):
    ask(editor)
    editor.load(template, "the_same_once_more")
    expect(editor.question).to_have_count(0)
    ask(editor)


def test_a_decidable_request_asks_nothing_and_every_node_says_why(editor):
    editor.set_value(CHECK_IN, "request", "my latest realistic bear on forest grass")
    editor.add_trigger_rewrite()
    entry = editor.run()
    assert editor.pictures(entry)
    expect(editor.page.locator(".personalq-clarify")).to_have_text("")
    lines = editor.page.locator(".personalq-why-text")
    expect(lines).to_have_count(3)  # Check-in, Trigger Rewrite, TAQ
    payloads = [
        out["personalq"][0]["why"] for out in entry["outputs"].values() if "personalq" in out
    ]
    for line in lines.all_inner_texts():
        assert line.split("\n")[0] in payloads
    expect(editor.page.locator(".personalq-model > .personalq-picture img")).to_have_count(1)


@pytest.mark.newest
def test_no_match_is_said_on_the_node_alone_with_the_near_misses(editor):
    editor.set_value(CHECK_IN, "request", "a watercolour bear")
    entry = editor.run()
    assert not editor.pictures(entry)
    payload = said(entry)
    assert payload["outcome"] == "no_match"
    expect(
        editor.page.locator(".personalq-why-text").filter(has_text=payload["why"])
    ).to_be_visible()
    editor.page.wait_for_timeout(500)
    expect(notes(editor).filter(has_not_text="another workflow tab")).to_have_count(0)
    expect(editor.page.locator(".p-toast-message-warn")).to_have_count(0)
    for near in payload["near"]:
        expect(
            editor.page.locator(".personalq-offer").filter(has_text=near["name"])
        ).to_be_visible()
