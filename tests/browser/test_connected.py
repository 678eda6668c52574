"""Test the inputs for a connected model on Repo Check-in, and a workflow from before them.

In both renderers.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.page import FIND, small_template

CHECK_IN = "PersonalQCheckIn"
OWN = ["clarifier", "model", "clip", "vae"]
NEW = {"model", "clip", "vae"}
SOCKETS = f"""() => {{
    {FIND}
    return find("{CHECK_IN}").inputs
        .filter((input) => !input.widget)
        .map((input) => [input.name, input.link !== null]);
}}"""
"""[name, whether it is connected] of each input without a widget."""


def test_a_workflow_that_is_older_loads_unchanged(editor, template):
    """Its node has no such inputs in the file: they are added at the end, and nothing moves."""
    (old,) = (node for node in template["nodes"] if node["type"] == CHECK_IN)
    assert not NEW & {one["name"] for one in old["inputs"]}
    loaded = editor.saved_node(CHECK_IN)
    assert loaded["widgets_values"] == old["widgets_values"]
    assert (loaded["pos"], loaded["size"][0]) == (old["pos"], old["size"][0])
    assert [output["links"] for output in loaded["outputs"][: len(old["outputs"])]] == [
        output["links"] for output in old["outputs"]
    ]
    assert not any(output["links"] for output in loaded["outputs"][len(old["outputs"]) :])
    assert editor.page.evaluate(SOCKETS) == [
        ["clarifier", True],
        ["model", False],
        ["clip", False],
        ["vae", False],
    ]
    graph = editor.run()["prompt"][2]
    (inputs,) = (one["inputs"] for one in graph.values() if one["class_type"] == CHECK_IN)
    assert not NEW & set(inputs)


def test_the_inputs_are_there_and_can_be_connected(editor):
    editor.load(
        small_template("4-Inside-your-own-workflow-PersonalQ", side=64, steps=2), "own_model"
    )
    assert editor.page.evaluate(SOCKETS) == [[name, name != "clarifier"] for name in OWN]
    graph = editor.run()["prompt"][2]
    (inputs,) = (one["inputs"] for one in graph.values() if one["class_type"] == CHECK_IN)
    (loader,) = (id for id, one in graph.items() if one["class_type"] == "CheckpointLoaderSimple")
    assert {name: inputs[name] for name in NEW} == {
        "model": [loader, 0],
        "clip": [loader, 1],
        "vae": [loader, 2],
    }
    shown = editor.page.locator(".personalq-decision")
    expect(shown.get_by_role("status")).to_contain_text("for the connected SD 1.5 model")


def test_a_checkpoint_is_refused_on_the_node(editor):
    editor.load(
        small_template("4-Inside-your-own-workflow-PersonalQ", side=64, steps=2), "own_model"
    )
    editor.set_value(CHECK_IN, "request", "my realistic dog")
    assert not editor.pictures(editor.run())
    shown = editor.page.locator(".personalq-decision")
    expect(shown.get_by_role("status").first).to_have_text(
        "dog_realistic is a whole checkpoint; disconnect `model` to load it."
    )
    offered = shown.locator("button.personalq-offer").filter(has_text="dog_realistic")
    expect(offered).to_have_count(0)  # a click could not load it


def test_the_connected_model_draws_alone_what_no_lora_is_for(editor):
    editor.load(
        small_template("4-Inside-your-own-workflow-PersonalQ", side=64, steps=2), "own_model"
    )
    editor.set_value(CHECK_IN, "request", "a spaceship over a canyon")
    assert not editor.pictures(editor.run())
    shown = editor.page.locator(".personalq-decision")
    expect(shown.get_by_role("status").first).to_contain_text("There is no 'spaceship' here.")
    alone = shown.locator("button.personalq-offer").filter(has_text="the connected SD 1.5 model")
    assert editor.pictures(editor.run(alone.click))
    expect(shown.get_by_role("status").first).to_have_text(
        "You chose no LoRA: the connected SD 1.5 model draws alone."
    )
    expect(shown.get_by_text("a spaceship over a canyon", exact=True)).to_be_visible()
    expect(shown.get_by_role("button", name="Decide again")).to_be_visible()
