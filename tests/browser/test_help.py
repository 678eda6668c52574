"""The help page of a node, opened from its toolbox, shows its picture. In both renderers."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

NODE = "PersonalQTAQ"


def test_the_help_page_shows_the_picture(editor):
    editor.page.evaluate(
        "(type) => app.canvas.selectItems(app.graph.nodes.filter((n) => n.comfyClass === type))",
        NODE,
    )
    editor.page.get_by_test_id("info-button").click()
    picture = editor.page.locator(f"img[src='/extensions/personalq/docs/pictures/{NODE}.jpg']")
    expect(picture).to_be_visible()
    editor.page.wait_for_function(
        "(image) => image.naturalWidth > 200", arg=picture.element_handle()
    )
    expect(editor.page.get_by_text("trigger-aware quantization").first).to_be_visible()
    # The host looks for a page in its language first, and the browser logs that there is none.
    editor.errors[:] = [error for error in editor.errors if f"/docs/{NODE}/en.md" not in error]
