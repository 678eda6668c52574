"""The help page of a node, opened from its toolbox, shows its picture. In both renderers."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

NODE = "PersonalQCheckIn"


@pytest.fixture
def info(editor):
    """The editor with the page of a node open in the host's own panel, which is closed again."""
    editor.bring_into_view(NODE)
    editor.page.evaluate(
        "(type) => app.canvas.selectItems(app.graph.nodes.filter((n) => n.comfyClass === type))",
        NODE,
    )
    editor.page.get_by_test_id("info-button").click()
    yield editor
    editor.page.get_by_role("button", name="Toggle properties panel").first.click()
    expect(editor.page.get_by_role("tab", name="Info")).to_have_count(0)
    # The host looks for a page in its language first, and the browser logs that there is none.
    editor.errors[:] = [error for error in editor.errors if f"/docs/{NODE}/en.md" not in error]


def test_the_hosts_panel_shows_inputs_alone_and_leaves_ours_as_wide_as_its_node(info):
    panel = info.page.locator(".personalq[data-panel=personalq_decision]")
    before = panel.bounding_box()["width"]
    info.page.get_by_role("tab", name="Parameters").click()
    expect(info.page.get_by_role("tab", name="Parameters")).to_have_attribute(
        "aria-selected", "true"
    )
    info.page.wait_for_timeout(500)
    info.page.evaluate("() => app.canvas.setDirty(true, true)")
    info.page.wait_for_timeout(500)
    assert panel.bounding_box()["width"] == before
    expect(info.page.get_by_text("Your models", exact=True)).to_have_count(0)
    info.page.evaluate(
        "() => app.canvas.selectItems(app.graph.nodes.filter((n) => n.comfyClass === "
        "'PersonalQTAQ'))"
    )
    expect(info.page.get_by_text("preset", exact=True).last).to_be_visible()
    expect(info.page.get_by_text("Last run", exact=True)).to_have_count(0)


def test_the_help_page_shows_the_picture(info):
    picture = info.page.locator(f"img[src='/extensions/personalq/docs/pictures/{NODE}.jpg']")
    expect(picture).to_be_visible()
    info.page.wait_for_function("(image) => image.naturalWidth > 200", arg=picture.element_handle())
    expect(
        info.page.get_by_text("Say in plain words which of your own models").first
    ).to_be_visible()
