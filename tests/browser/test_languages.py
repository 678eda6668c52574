"""Test the canvas in another language.

Titles, inputs, widgets and outputs of our nodes are in the texts of its locale.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN, CLARIFY, said
from personalq.tests.browser.page import Editor, small_template
from personalq.tests.test_locales import load

NODE = "PersonalQTAQ"
LABELS = """(type) => {
    const node = LiteGraph.createNode(type);
    const label = (slot) => slot.label ?? slot.localized_name ?? slot.name;
    const slots = [...node.inputs.filter((slot) => !slot.widget), ...node.widgets];
    return {
        title: node.title,
        inputs: slots.map((slot) => [slot.name, label(slot)])
            .filter(([name]) => !name.startsWith("personalq")),
        outputs: node.outputs.map(label),
    };
}"""
CHIP = """() => {
    const node = LiteGraph.createNode("PersonalQCheckIn");
    const model = { name: "nelson", kind: "lora", line: "model: nelson", on: true, strength: 0.8,
        recommended: 1, triggers: [{ text: "<nelson>", on: true }], words: [], offers: [] };
    node.properties.personalq_said = { why: "", notices: [], offers: [], models: [model] };
    app.graph.add(node);
    node.onConfigure({});
}"""
"""Adds a Repo Check-in whose last run chose a model."""


@pytest.mark.parametrize("language", ["ko", "zh"])
def test_a_node_is_labelled_in_the_language_of_the_page(browser, host, language):
    host.post("/settings", {"Comfy.Locale": language})
    editor = Editor(browser, host.url, nodes2=False)
    try:
        shown = editor.page.evaluate(LABELS, NODE)
        editor.page.evaluate(CHIP)
        texts = load(language, "main")["personalqPanel"]
        for key in ("use", "strength_of", "triggers_of"):
            expect(editor.page.get_by_label(texts[key].replace("%s", "nelson"))).to_have_count(1)
    finally:
        editor.close()
        host.post("/settings", {"Comfy.Locale": "en"})
    expected = load(language)[NODE]
    assert shown["title"] == expected["display_name"]
    assert dict(shown["inputs"]) == {name: one["name"] for name, one in expected["inputs"].items()}
    assert shown["outputs"] == [one["name"] for one in expected["outputs"].values()]
    assert editor.errors == []


def test_what_a_chip_can_do_stands_in_one_row(browser, host):
    """In French too, where "Swap" is a longer word."""
    host.post("/settings", {"Comfy.Locale": "fr"})
    editor = Editor(browser, host.url, nodes2=True)
    try:
        editor.load(small_template("asking", 64, 1))
        editor.set_value(CHECK_IN, "chosen", "bear_realistic_v4\nblueprint")
        chip = editor.page.locator(".personalq-model").first
        boxes = [chip.locator(f"[name={name}]").bounding_box() for name in ("swap", "on", "remove")]
        middles = [box["y"] + box["height"] / 2 for box in boxes]
        assert max(middles) - min(middles) < 4
    finally:
        editor.close()
        host.post("/settings", {"Comfy.Locale": "en"})
    assert editor.errors == []


def test_the_models_tab_is_in_the_language_of_the_page(browser, host):
    host.post("/settings", {"Comfy.Locale": "ko"})
    editor = Editor(browser, host.url, nodes2=False)
    try:
        editor.page.get_by_role("button", name="PersonalQ").first.click()
        texts = load("ko", "main")["personalqTab"]
        search = editor.page.get_by_label(texts["search"])
        search.fill("v3")
        tile = editor.page.locator(".personalq-open").first
        expect(tile.locator(".personalq-matched")).to_have_text(f"{texts['why_version']}: v3")
        tile.click()
        expect(editor.page.get_by_role("button", name=texts["save"])).to_be_visible()
    finally:
        editor.close()
        host.post("/settings", {"Comfy.Locale": "en"})
    assert editor.errors == []


@pytest.mark.parametrize(
    ("language", "asked"),
    [("fr", "Quel style : "), ("ja", "どのスタイルですか")],
)
def test_a_question_is_shown_in_the_language_of_the_page(browser, host, language, asked):
    host.post("/settings", {"Comfy.Locale": language})
    editor = Editor(browser, host.url, nodes2=False)
    try:
        editor.load(small_template("asking", 64, 1))
        editor.set_value(CHECK_IN, "request", "a bear on forest grass")
        question = said(editor.run())["question"]
        assert question["text"].startswith(asked)
        first = question["choices"][0]
        choice = editor.page.locator(".personalq-choice", has_text=first["shown"]).first
        expect(choice).to_be_visible()
        choice.click()
        expect(editor.page.locator(".personalq-choice")).to_have_count(0)
        assert first["label"] in editor.value(CLARIFY, "answer")
    finally:
        editor.close()
        host.post("/settings", {"Comfy.Locale": "en"})
    assert editor.errors == []


def test_a_change_of_the_language_is_seen_at_once(browser, host):
    editor = Editor(browser, host.url, nodes2=True)
    try:
        editor.load(small_template("asking", 64, 1))
        editor.set_value(CHECK_IN, "request", "a zebra on a bicycle")
        assert said(editor.run())["why"].startswith("There is no 'zebra' here.")
        with editor.page.expect_response(lambda answer: answer.url.endswith("/language")):
            editor.page.evaluate("() => app.extensionManager.setting.set('Comfy.Locale', 'es')")
        assert said(editor.run())["why"].startswith("Aquí no hay «zebra».")
        editor.set_value(CHECK_IN, "request", "a unicorn on a bicycle")
        expect(editor.page.locator(".personalq-decision")).to_contain_text("Aquí no hay «unicorn».")
    finally:
        editor.close()
        host.post("/settings", {"Comfy.Locale": "en"})
    assert editor.errors == []
