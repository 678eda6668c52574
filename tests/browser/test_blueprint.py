"""Test the blueprint "Personalised text to image" in both renderers.

It is found in the node search, added with a key, and run.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.judged import seen

NAME = "Personalised text to image"
SAVE = {
    "id": 1,
    "type": "SaveImage",
    "pos": [0, 0],
    "size": [300, 300],
    "widgets_values": ["PersonalQ"],
}
FIND = "const node = app.graph.nodes.find((each) => each.subgraph);"


@pytest.fixture
def blueprint(editor):
    """A workflow with the blueprint and a node that saves its picture."""
    editor.reload()  # the search keeps what it found before
    editor.load({"nodes": [SAVE], "links": [], "version": 0.4}, "blueprint")
    editor.page.evaluate("() => app.extensionManager.command.execute('Workspace.SearchBox.Toggle')")
    editor.page.get_by_role("combobox").or_(editor.page.get_by_role("searchbox")).first.wait_for()
    editor.page.keyboard.type("personalised text")
    expect(editor.page.get_by_text("Subgraph Blueprints / PersonalQ").first).to_be_visible()
    editor.page.keyboard.press("Enter")
    editor.page.wait_for_function("() => app.graph.nodes.some((each) => each.subgraph)")
    editor.page.mouse.click(700, 500)  # puts down the node that hangs on the pointer
    editor.page.evaluate(
        f"""() => {{
            {FIND}
            node.connect(0, app.graph.nodes.find((each) => each.type === "SaveImage"), 0);
        }}"""
    )
    return editor


def set_values(editor, **values) -> None:
    """Changes widgets of the subgraph's node as a person would."""
    editor.page.evaluate(
        f"""(values) => {{
            {FIND}
            for (const [name, value] of Object.entries(values)) {{
                const widget = node.widgets.find((each) => each.name === name);
                widget.value = value;
                widget.callback?.(value);
            }}
        }}""",
        values,
    )


@pytest.mark.beside_the_canvas  # what it draws is the same in both
def test_it_makes_a_picture_from_a_request_in_the_models_own_size(blueprint, host):
    set_values(blueprint, request="my latest realistic bear on forest grass", seed=7)
    entry = blueprint.run()
    (picture,) = blueprint.pictures(entry)
    shown = seen(host.base_directory / "output" / picture["subfolder"] / picture["filename"])
    assert (shown["size"], shown["identity"]) == ((128, 128), "plush bear")
    graph = entry["prompt"][2]
    sampler = next(node["inputs"] for node in graph.values() if node["class_type"] == "KSampler")
    assert sampler["seed"] == 7
    assert {"PersonalQSettings", "PersonalQCheckIn", "PersonalQTAQ"} <= {
        node["class_type"] for node in graph.values()
    }


def test_it_has_one_text_box(blueprint):
    boxes = blueprint.page.locator("textarea").filter(visible=True)
    expect(boxes).to_have_count(1)
    assert boxes.input_value() == "my latest realistic bear on forest grass"


def test_its_question_is_pointed_to(blueprint):
    set_values(blueprint, request="a bear on forest grass")
    assert not blueprint.pictures(blueprint.run())
    expect(
        blueprint.page.locator(".personalq-note").filter(has_text=f"Open the subgraph “{NAME}”")
    ).to_be_visible()
    expect(blueprint.page.locator(".personalq-pin")).to_be_visible()
