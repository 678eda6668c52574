"""Test Repo Check-in where a workflow is opened as an app."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN
from personalq.tests.browser.page import FIND, load_template


def test_what_is_typed_after_an_undo_is_decided(editor):
    """Undo makes the nodes anew; the app's fields and the panel that it shows are the old ones."""
    page = editor.page
    page.evaluate(
        "(graph) => app.loadGraphData(graph, true, true, 'undone', { openSource: 'template' })",
        load_template("1-Ask-for-your-model-PersonalQ.app"),
    )
    box = page.get_by_test_id("linear-widgets").locator("textarea").first
    name = page.locator(".personalq-decision .personalq-label").filter(visible=True)
    box.fill("the checker taxi in blueprint style")
    expect(name).to_have_count(2)
    page.locator(".personalq-decision [name=on]").filter(visible=True).nth(1).click()
    chosen = f"find('{CHECK_IN}').widgets.find((w) => w.name === 'chosen').value"
    page.wait_for_function(f"() => {{ {FIND} return {chosen}; }}")
    page.evaluate("() => document.activeElement.blur()")
    editor.hold("Control+z")
    editor.wait_for_value(CHECK_IN, "chosen", "")
    page.wait_for_timeout(1000)  # nobody types in the moment in which the nodes are made anew
    box.fill("bear realistic v3 in the rain")
    expect(name).to_have_text(["bear_realistic_v3"])
