"""Test the chips of the chosen models on Repo Check-in: strength, switches, triggers and swap.

In both renderers.
"""

from __future__ import annotations

import uuid

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN, CHOSEN, said
from personalq.tests.browser.page import FIND, load_template

REQUEST = "the checker taxi in blueprint style"


def decide(editor, request: str = REQUEST) -> dict:
    """Runs a request that needs no question; what Check-in said."""
    editor.set_value(CHECK_IN, "request", request)
    return said(editor.run())


def panel(editor):
    return editor.page.locator(".personalq-decision")


def chip(editor, name: str):
    return panel(editor).get_by_role("group", name=name, exact=True)


def switch(editor, name: str):
    return chip(editor, name).get_by_role("button", name=f"Use {name}", exact=True)


def strength(editor, name: str):
    return chip(editor, name).get_by_role("spinbutton", name=f"Strength of {name}")


def chosen(editor) -> list[str]:
    return editor.value(CHECK_IN, "chosen").split("\n")


def used(payload) -> list[tuple[str, bool, float]]:
    return [(one["name"], one["on"], one["strength"]) for one in payload["models"]]


def test_each_chosen_model_is_a_chip(editor):
    payload = decide(editor)
    assert used(payload) == [("checker_taxi", True, 0.85), ("blueprint", True, 0.85)]
    for name, words in (("checker_taxi", "for “checker taxi”"), ("blueprint", "blueprint")):
        expect(chip(editor, name).locator(".personalq-label")).to_have_text(name)
        expect(chip(editor, name)).to_contain_text(words)
        expect(switch(editor, name)).to_have_attribute("aria-pressed", "true")
        expect(strength(editor, name)).to_have_value("0.85")
        image = chip(editor, name).locator("img")
        editor.page.wait_for_function("(img) => img.naturalWidth > 0", arg=image.element_handle())
    expect(panel(editor).get_by_role("status")).to_have_text(payload["why"])
    expect(panel(editor).locator("mark")).to_have_text(["<taxi>", "blueprint style"])
    assert editor.value(CHECK_IN, "chosen") == "", "nothing is chosen before a click"


def test_a_strength_is_typed_saved_and_used(editor):
    decide(editor)
    runs = editor.runs()
    strength(editor, "blueprint").fill("0.4")
    strength(editor, "blueprint").press("Enter")
    expect(panel(editor)).to_contain_text("Preview")
    assert editor.runs() == runs, "a change alone runs nothing"
    for_request, taxi, style = chosen(editor)
    assert for_request == f"for: {REQUEST}"
    assert taxi.startswith("model: checker_taxi; ")
    assert style.startswith("model: blueprint; strength: 0.4; ")
    assert editor.saved_node(CHECK_IN)["widgets_values"][CHOSEN].split("\n") == chosen(editor)
    payload = said(editor.run())
    assert used(payload) == [("checker_taxi", True, 0.85), ("blueprint", True, 0.4)]
    expect(panel(editor).get_by_text("Preview")).to_have_count(0)
    strength(editor, "blueprint").fill("25")
    strength(editor, "blueprint").press("Enter")
    assert strength(editor, "blueprint").evaluate("(field) => !field.validity.valid")
    assert "strength: 0.4" in editor.value(CHECK_IN, "chosen")
    strength(editor, "blueprint").fill("")
    strength(editor, "blueprint").press("Enter")
    assert "strength" not in editor.value(CHECK_IN, "chosen")


def test_a_click_right_after_typing_is_not_lost(editor):
    decide(editor)
    strength(editor, "blueprint").fill("0.3")
    switch(editor, "checker_taxi").click()
    expect(switch(editor, "checker_taxi")).to_have_attribute("aria-pressed", "false")
    expect(strength(editor, "blueprint")).to_have_value("0.3")
    _, taxi, style = chosen(editor)
    assert taxi.startswith("model: checker_taxi; off; ")
    assert style.startswith("model: blueprint; strength: 0.3; ")


def test_a_comma_is_the_point_of_a_strength(editor):
    """Also in a browser in English, which drops it."""
    decide(editor)
    strength(editor, "blueprint").fill("")
    strength(editor, "blueprint").press_sequentially("0,7")
    expect(strength(editor, "blueprint")).to_have_value("0.7")
    strength(editor, "blueprint").press("Enter")
    assert "; strength: 0.7; " in chosen(editor)[2]


def test_the_arrow_keys_step_by_a_twentieth(editor):
    decide(editor)
    strength(editor, "blueprint").focus()
    editor.page.keyboard.press("ArrowUp")
    expect(strength(editor, "blueprint")).to_be_focused()
    expect(strength(editor, "blueprint")).to_have_value("0.9")
    editor.page.keyboard.press("ArrowUp")
    assert "; strength: 0.95; " in chosen(editor)[2]


def test_a_model_is_switched_off_by_keyboard_and_not_used(editor):
    decide(editor)
    switch(editor, "blueprint").focus()
    editor.page.keyboard.press("Space")
    expect(switch(editor, "blueprint")).to_have_attribute("aria-pressed", "false")
    expect(switch(editor, "blueprint")).to_be_focused()
    payload = said(editor.run())
    assert used(payload) == [("checker_taxi", True, 1.0), ("blueprint", False, 1.0)]
    expect(panel(editor).locator("mark")).to_have_text(["<taxi>"])
    expect(switch(editor, "blueprint")).to_have_attribute("aria-pressed", "false")
    switch(editor, "blueprint").click()
    assert used(said(editor.run()))[1] == ("blueprint", True, 0.85)


@pytest.mark.beside_the_canvas
def test_a_trigger_is_clicked_off_and_leaves_the_prompt(editor):
    assert "<taxi>" in decide(editor)["prompt"]
    trigger = chip(editor, "checker_taxi").get_by_role("button", name="<taxi>")
    expect(trigger).to_have_attribute("aria-pressed", "true")
    trigger.click()
    expect(trigger).to_have_attribute("aria-pressed", "false")
    assert "; triggers: off; " in chosen(editor)[1]
    assert "<taxi>" not in said(editor.run())["prompt"]
    trigger.click()
    assert "; triggers: <taxi>; " in chosen(editor)[1]
    assert "<taxi>" in said(editor.run())["prompt"]


def test_one_model_is_swapped_and_the_other_stays_as_it_is(editor):
    editor.set_value(CHECK_IN, "request", "on a shelf")
    picked = "bear_realistic_v4; strength: 0.7\nblueprint; strength: 0.5"
    editor.set_value(CHECK_IN, "chosen", picked)
    editor.run()
    switch(editor, "blueprint").click()
    swap = chip(editor, "bear_realistic_v4").get_by_role("button", name="Swap bear_realistic_v4")
    expect(swap).to_have_attribute("aria-expanded", "false")
    swap.click()
    expect(panel(editor)).to_contain_text("Preview")
    expect(swap).to_have_attribute("aria-expanded", "true")
    offered = panel(editor).get_by_role("group", name="Use instead of bear_realistic_v4")
    entry = editor.run(offered.get_by_role("button", name="Use bear_realistic_v3 instead").click)
    assert used(said(entry)) == [("bear_realistic_v3", True, 0.7), ("blueprint", False, 0.5)]
    expect(chip(editor, "bear_realistic_v3")).to_be_visible()


def test_the_models_to_swap_for_open_below_the_chip_and_in_view(editor):
    editor.set_value(CHECK_IN, "request", "on a shelf")
    editor.set_value(CHECK_IN, "chosen", "bear_realistic_v4\nblueprint")
    editor.run()
    swap = chip(editor, "bear_realistic_v4").get_by_role("button", name="Swap bear_realistic_v4")
    swap.evaluate(
        """(button) => {
            const { ds } = app.canvas;
            ds.offset[1] += (innerHeight - 60 - button.getBoundingClientRect().bottom) / ds.scale;
            app.canvas.setDirty(true, true);
        }"""
    )
    editor.page.wait_for_timeout(300)
    swap.click()
    offered = panel(editor).locator(".personalq-model + .personalq-dim + .personalq-offers")
    expect(offered).to_have_attribute("aria-label", "Use instead of bear_realistic_v4")
    wait_until_in_view(editor, offered)
    seen = swap.bounding_box()
    swap.click()
    expect(offered).to_have_count(0)
    assert swap.bounding_box() == seen, "what closes moves nothing"


@pytest.mark.beside_the_canvas
def test_the_models_to_swap_for_open_in_view_in_an_app(editor):
    editor.page.evaluate(
        "(graph) => app.loadGraphData(graph, true, true, 'as_app', { openSource: 'template' })",
        load_template("1-Ask-for-your-model-PersonalQ.app"),
    )
    editor.page.set_viewport_size({"width": 1200, "height": 420})
    try:
        editor.set_value(CHECK_IN, "chosen", "bear_realistic_v4\nblueprint")
        swap = editor.page.get_by_role("button", name="Swap bear_realistic_v4")
        swap.click()
        offered = editor.page.get_by_role("group", name="Use instead of bear_realistic_v4")
        expect(offered).to_be_visible()
        wait_until_in_view(editor, offered)
    finally:
        editor.page.set_viewport_size({"width": 1400, "height": 900})


def wait_until_in_view(editor, part) -> None:
    editor.page.wait_for_function(
        "(part) => part.getBoundingClientRect().bottom <= innerHeight", arg=part.element_handle()
    )


def test_changes_survive_a_reload_and_are_undone(editor):
    decide(editor)
    switch(editor, "blueprint").click()
    editor.page.wait_for_timeout(1000)  # the page saves its draft half a second after a change
    editor.reload()
    expect(switch(editor, "blueprint")).to_have_attribute("aria-pressed", "false")
    expect(panel(editor)).to_contain_text("Off: blueprint.")
    editor.page.mouse.click(700, 880)  # away from the node
    panel(editor).get_by_role("button", name="Decide again").click()
    editor.page.wait_for_timeout(500)
    assert editor.value(CHECK_IN, "chosen") == ""


def test_a_change_is_one_step_of_undo(editor):
    decide(editor)
    switch(editor, "blueprint").click()
    expect(switch(editor, "blueprint")).to_have_attribute("aria-pressed", "false")
    editor.page.wait_for_timeout(300)
    editor.hold("Control+z")
    expect(switch(editor, "blueprint")).to_have_attribute("aria-pressed", "true")
    assert editor.value(CHECK_IN, "chosen") == ""


@pytest.mark.beside_the_canvas
def test_one_that_is_not_here_is_offered_the_nearest_or_switched_off(editor):
    editor.set_value(CHECK_IN, "request", "on a street")
    ghost = "bear_realistic_v9; lineage: bear realistic; version: 9"
    editor.set_value(CHECK_IN, "chosen", f"checker_taxi\n{ghost}")
    payload = said(editor.run())
    assert payload["outcome"] == "no_match"
    expect(panel(editor).get_by_role("status")).to_contain_text("bear_realistic_v9 is not here.")
    expect(chip(editor, "bear_realistic_v9")).to_contain_text("Not here")
    nearest = panel(editor).get_by_role("group", name="Use instead of bear_realistic_v9")
    expect(nearest.get_by_role("button").first).to_contain_text("bear_realistic")
    switch(editor, "bear_realistic_v9").click()
    expect(panel(editor).get_by_role("status")).to_contain_text("Off: bear_realistic_v9.")
    expect(panel(editor)).not_to_contain_text("switch it off")
    assert used(said(editor.run()))[0] == ("checker_taxi", True, 1.0)


@pytest.mark.beside_the_canvas
def test_the_button_beside_one_that_is_not_here_is_called_what_the_sentence_says(editor):
    editor.set_value(CHECK_IN, "request", "my latest realistic bear on a street")
    editor.set_value(CHECK_IN, "chosen", "bear_realistic_v9; lineage: bear realistic; version: 9")
    editor.run()
    said_why = "Choose one of the nearest, or let the request decide."
    expect(panel(editor).get_by_role("status").first).to_contain_text(said_why)
    let = panel(editor).get_by_role("button", name="Let the request decide")
    assert used(said(editor.run(let.click))) == [("bear_realistic_v4", True, 1.0)]


def test_what_a_link_chooses_cannot_be_changed_on_the_node(editor):
    editor.set_value(CHECK_IN, "request", "on a street")
    editor.page.evaluate(
        f"""(chosen) => {{
            {FIND}
            const text = LiteGraph.createNode("PrimitiveStringMultiline");
            text.pos = [find("{CHECK_IN}").pos[0] - 500, find("{CHECK_IN}").pos[1]];
            app.graph.add(text);
            text.widgets[0].value = chosen;
            text.connect(0, find("{CHECK_IN}"), "chosen");
        }}""",
        "bear_realistic_v4\nblueprint; strength: 0.5",
    )
    models = [("bear_realistic_v4", True, 0.85), ("blueprint", True, 0.5)]
    assert used(said(editor.run())) == models
    expect(strength(editor, "blueprint")).to_have_value("0.5")
    expect(strength(editor, "blueprint")).to_be_disabled()
    trigger = chip(editor, "bear_realistic_v4").get_by_role("button", name="<bear-v4>")
    expect(trigger).to_be_disabled()
    expect(switch(editor, "blueprint")).to_have_count(0)
    for words in ("Swap", "Decide again", "instead", "Add ", "Compare"):
        expect(panel(editor).get_by_role("button", name=words)).to_have_count(0)


@pytest.mark.beside_the_canvas
def test_one_lora_alone_has_its_own_strength_and_can_be_compared_with_its_base(editor):
    payload = decide(editor, "my latest realistic bear on forest grass")
    assert used(payload) == [("bear_realistic_v4", True, 1.0)]
    expect(strength(editor, "bear_realistic_v4")).to_have_value("1")
    switch(editor, "bear_realistic_v4").click()
    entry = editor.run()
    assert said(entry)["card"]["name"] == "demo_base"
    assert editor.pictures(entry)
    expect(panel(editor).get_by_role("status")).to_contain_text("demo_base draws alone")
    expect(switch(editor, "bear_realistic_v4")).to_have_attribute("aria-pressed", "false")


def test_a_choice_by_hand_that_never_ran_shows_its_chips_where_it_is_opened(editor):
    editor.set_value(CHECK_IN, "request", REQUEST)
    editor.set_value(CHECK_IN, "chosen", "checker_taxi\nblueprint; strength: 0.4; off")
    editor.load(editor.saved())
    expect(chip(editor, "checker_taxi")).to_be_visible()
    expect(switch(editor, "blueprint")).to_have_attribute("aria-pressed", "false")
    expect(strength(editor, "blueprint")).to_have_value("0.4")


def test_a_saved_workflow_offers_other_models_where_it_is_opened(editor):
    editor.set_value(CHECK_IN, "request", "on a shelf")
    editor.set_value(CHECK_IN, "chosen", "for: on a shelf\nbear_realistic_v4\nblueprint")
    editor.run()
    runs = editor.runs()
    saved = editor.saved()
    assert "bear_realistic_v3" not in str(saved)
    editor.load({**saved, "id": str(uuid.uuid4())})
    chip(editor, "bear_realistic_v4").get_by_role("button", name="Swap bear_realistic_v4").click()
    expect(panel(editor).get_by_text("Preview")).to_have_count(0)
    offered = panel(editor).get_by_role("group", name="Use instead of bear_realistic_v4")
    expect(offered.get_by_role("button").first).to_be_visible()
    assert editor.runs() == runs


@pytest.mark.beside_the_canvas
def test_all_models_that_are_not_here_are_named_at_once_each_with_the_nearest(editor):
    editor.set_value(CHECK_IN, "request", "on a street")
    gone = [
        "bear_realistic_v9; lineage: bear realistic; version: 9",
        "checker_taxi_v7; trigger: <taxi>",
    ]
    editor.set_value(CHECK_IN, "chosen", "\n".join(["for: on a street", *gone, "blueprint"]))
    workflow = {**editor.saved(), "id": str(uuid.uuid4())}
    here = ("checker_taxi", "bear_realistic_v4", "blueprint")
    known = {"line": "", "on": True, "strength": 1, "triggers": [], "words": [], "offers": []}
    node = next(one for one in workflow["nodes"] if one["type"] == CHECK_IN)
    node["properties"]["personalq_said"] = {
        "request": "on a street",
        "why": "You chose what a friend has.",
        "prompt": "on a street",
        "card": {"name": here[0]},
        "notices": [],
        "offers": [],
        "models": [{**known, "name": name} for name in here],
    }
    editor.load(workflow)
    expect(panel(editor)).to_contain_text("Not here: bear_realistic_v9, checker_taxi_v7.")
    expect(panel(editor)).not_to_contain_text("what a friend has")
    for name, nearest in (("bear_realistic_v9", "bear_realistic"), ("checker_taxi_v7", "taxi")):
        expect(chip(editor, name)).to_contain_text("Not here")
        expect(chip(editor, name).get_by_role("button", name=f"Swap {name}")).to_be_visible()
        offered = panel(editor).get_by_role("group", name=f"Use instead of {name}")
        expect(offered.get_by_role("button").first).to_contain_text(nearest)
    assert editor.runs() == 0


def test_a_model_that_the_workflow_was_made_with_is_missed_where_it_is_opened(editor):
    request = "my latest realistic bear on forest grass"
    decide(editor, request)
    workflow = {**editor.saved(), "id": str(uuid.uuid4())}
    node = next(one for one in workflow["nodes"] if one["type"] == CHECK_IN)
    node["properties"]["personalq_made_with"] = f"for: {request}\nmodel: bear_of_a_friend"
    [model] = node["properties"]["personalq_said"]["models"]
    model["name"] = "bear_of_a_friend"
    editor.load(workflow)
    expect(chip(editor, "bear_realistic_v4")).to_be_visible()
    expect(panel(editor)).to_contain_text("Preview")
    expect(panel(editor)).to_contain_text("made with bear_of_a_friend, which is not here.")


@pytest.mark.beside_the_canvas
def test_a_chip_is_taken_out_and_the_others_stay(editor):
    decide(editor)
    chip(editor, "blueprint").get_by_role("button", name="Remove blueprint").press("Enter")
    expect(chip(editor, "blueprint")).to_have_count(0)
    expect(editor.page.locator(".personalq-clarify")).to_be_focused()
    expect(chip(editor, "checker_taxi")).to_be_visible()
    assert [line.split(";")[0] for line in chosen(editor)[1:]] == ["model: checker_taxi"]
    expect(chip(editor, "checker_taxi").get_by_role("button", name="Remove")).to_have_count(0)
    assert used(said(editor.run())) == [("checker_taxi", True, 1.0)]


@pytest.mark.beside_the_canvas
def test_a_change_taken_back_shows_the_run_again(editor):
    decide(editor)
    for preview in (1, 0):
        switch(editor, "blueprint").click()
        expect(panel(editor).get_by_text("Preview", exact=True)).to_have_count(preview)
