"""The height of Repo Check-in follows what it shows, and the field for the request keeps its own.

In both renderers.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN
from personalq.tests.browser.page import FIND

CLEAR = "my latest realistic bear on a hill"
SETTLED = 1000
"""Milliseconds: the page saves its draft half a second after a change."""
CLOSE = 12
"""Pixels: the height of the field in one layout of the host beside another."""


def field(editor) -> float:
    """The height of the field for the request, in the page."""
    return editor.page.evaluate(
        f"""(type) => {{
            {FIND}
            const {{ value }} = find(type).widgets.find((w) => w.name === "request");
            const fields = [...document.querySelectorAll("textarea")];
            return fields.find((t) => t.value === value && t.checkVisibility()).offsetHeight;
        }}""",
        CHECK_IN,
    )


def height(editor) -> float:
    """The height of the node."""
    return editor.page.evaluate(f"(type) => {{ {FIND} return find(type).size[1]; }}", CHECK_IN)


def reload(editor) -> None:
    """Reloads the page once it has saved its draft, and waits until the node has its height."""
    editor.page.wait_for_timeout(SETTLED)
    editor.reload()
    editor.page.wait_for_timeout(SETTLED)


@pytest.fixture
def usual(editor) -> tuple[float, float]:
    """The heights of the field and of the node that has not run."""
    editor.page.wait_for_timeout(SETTLED)
    return field(editor), height(editor)


def test_a_preview_comes_back_after_a_reload_and_the_field_is_as_it_was(editor, usual):
    editor.set_value(CHECK_IN, "request", CLEAR)
    expect(editor.page.locator(".personalq-preview")).to_be_visible()
    editor.page.wait_for_timeout(SETTLED)
    before = height(editor)
    reload(editor)
    expect(editor.page.locator(".personalq-preview")).to_be_visible()
    editor.page.wait_for_timeout(SETTLED)
    assert field(editor) == pytest.approx(usual[0], abs=CLOSE)
    assert height(editor) == pytest.approx(before, abs=CLOSE)


def test_a_reload_that_brings_back_what_a_run_offered_leaves_the_field_as_it_was(editor, usual):
    editor.set_value(CHECK_IN, "request", CLEAR)
    editor.run()
    offers = editor.page.locator("button.personalq-offer")
    expect(offers.first).to_be_visible()
    editor.page.wait_for_timeout(SETTLED)
    reload(editor)
    expect(offers.first).to_be_visible()
    editor.page.wait_for_timeout(SETTLED)
    assert field(editor) == pytest.approx(usual[0], abs=CLOSE)


def test_a_height_that_is_made_by_hand_is_kept(editor, usual):
    editor.set_value(CHECK_IN, "request", CLEAR)
    editor.run()
    editor.page.wait_for_timeout(SETTLED)
    made = height(editor) + 90
    editor.page.evaluate(
        f"([type, made]) => {{ {FIND} const n = find(type); n.setSize([n.size[0], made]); }}",
        [CHECK_IN, made],
    )
    editor.page.wait_for_timeout(SETTLED)
    editor.load(editor.saved(), "made_by_hand")
    editor.page.wait_for_timeout(SETTLED)
    assert height(editor) == pytest.approx(made, abs=CLOSE)


def test_what_a_run_shows_is_not_in_the_saved_height(editor, usual):
    before = editor.saved_node(CHECK_IN)["size"][1]
    editor.set_value(CHECK_IN, "request", CLEAR)
    editor.run()
    editor.page.wait_for_timeout(SETTLED)
    assert editor.saved_node(CHECK_IN)["size"][1] == before
