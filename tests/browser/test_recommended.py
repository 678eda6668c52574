"""Test that the outputs of Recommended Settings can be connected on the canvas, in both renderers.

A sampler's names are combos there, and the page itself judges which output fits them.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from personalq.tests.browser.page import FIND, load_template

CONNECT = f"""() => {{
    {FIND}
    const [settings, sampler] = [find("PersonalQSettings"), find("KSampler")];
    return ["sampler_name", "scheduler"].map((name) => {{
        const from = settings.outputs.findIndex((output) => output.name === name);
        const to = sampler.inputs.findIndex((input) => input.name === name);
        return settings.connect(from, sampler, to) !== null;
    }});
}}"""


def test_the_sampler_and_its_scheduler_go_to_a_sampler(editor):
    editor.load(load_template("2-Ask-for-your-model-PersonalQ"), "request_to_image")
    assert editor.page.evaluate(CONNECT) == [True, True]
    graph = editor.page.evaluate("async () => (await app.graphToPrompt()).output")
    (settings,) = (id for id, one in graph.items() if one["class_type"] == "PersonalQSettings")
    (sampler,) = (one["inputs"] for one in graph.values() if one["class_type"] == "KSampler")
    assert sampler["sampler_name"] == [settings, 4]
    assert sampler["scheduler"] == [settings, 5]
