"""Test that Check-in learns what the user calls a model, when a button is pressed and not before.

In both renderers.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN, said

UNKNOWN = "pickle, cartoon"
AGAIN = "pickle on forest grass"


@pytest.fixture
def new_sidecar(demo_repository):
    """The sidecar of cat_cartoon, which has none; gone afterwards."""
    file = demo_repository / "loras" / "cat" / "cat_cartoon.personalq.yaml"
    assert not file.exists()
    yield file
    file.unlink(missing_ok=True)


def run(editor, request: str) -> dict:
    editor.set_value(CHECK_IN, "request", request)
    return said(editor.run())


def offer(editor):
    return editor.page.get_by_role("button", name="Call this one 'pickle'")


def undo(editor):
    return editor.page.locator(".personalq-decision").get_by_role("button", name="Undo")


def test_a_word_is_learnt_by_a_click_used_and_removed_in_the_editor(editor, new_sidecar):
    assert run(editor, UNKNOWN)["outcome"] == "no_match"
    expect(offer(editor)).to_have_count(0)
    by_hand = said(editor.run(editor.page.get_by_role("button", name="Use cat_cartoon").click))
    assert by_hand["offered_name"]["name"] == "pickle"
    expect(offer(editor)).to_be_visible()
    assert not new_sidecar.exists(), "nothing is learnt before the click"

    offer(editor).focus()
    editor.page.keyboard.press("Enter")
    expect(editor.page.get_by_text("'pickle' now means cat_cartoon.")).to_be_visible()
    expect(undo(editor)).to_be_focused()
    assert new_sidecar.read_text() == "names:\n- pickle\n"
    editor.page.keyboard.press("Enter")
    expect(offer(editor)).to_be_visible()
    assert "pickle" not in new_sidecar.read_text()
    offer(editor).click()
    expect(undo(editor)).to_be_enabled()

    editor.set_value(CHECK_IN, "chosen", "")  # or the choice holds for what asks for the same
    found = run(editor, AGAIN)
    assert (found["outcome"], found["card"]["name"]) == ("select", "cat_cartoon")
    assert not found["by_hand"]
    assert found["prompt"] == "<cat> on forest grass"
    expect(offer(editor)).to_have_count(0)

    editor.open_library()
    library = editor.page.locator(".personalq-library")
    library.get_by_label("Search all models").fill("cat_cartoon")
    expect(library.locator(".personalq-label")).to_have_text(["cat_cartoon"])
    library.locator(".personalq-open").click()
    field = library.get_by_label("Also called")
    expect(field).to_have_value("pickle")
    field.fill("")
    library.get_by_role("button", name="Save").click()
    expect(library.locator(".personalq-field", has_text="Also called")).to_contain_text("not known")
    library.get_by_role("button", name="All models").click()
    library.get_by_label("Search all models").fill("")
    assert "pickle" not in new_sidecar.read_text()
    assert run(editor, f"{AGAIN} again")["outcome"] == "no_match"


def test_a_card_that_is_put_into_the_request_may_be_called_so_too(editor, new_sidecar):
    editor.set_value(CHECK_IN, "request", AGAIN)
    editor.open_library()
    library = editor.page.locator(".personalq-library")
    library.get_by_label("Search all models").fill("cat_cartoon")
    expect(library.locator(".personalq-label")).to_have_text(["cat_cartoon"])
    library.locator(".personalq-open").click()
    library.get_by_role("button", name="Use in request").click()
    library.get_by_role("button", name="All models").click()
    library.get_by_label("Search all models").fill("")
    editor.wait_for_value(CHECK_IN, "request", f"{AGAIN} <cat>")
    assert said(editor.run())["offered_name"]["name"] == "pickle"
    expect(offer(editor)).to_be_visible()


def test_what_cannot_be_written_is_said_and_the_button_stays(editor, new_sidecar):
    run(editor, UNKNOWN)
    editor.run(editor.page.get_by_role("button", name="Use cat_cartoon").click)
    new_sidecar.mkdir()
    try:
        offer(editor).press("Enter")  # the node may be taller than the page
        expect(editor.page.get_by_text("it is a folder or a pipe")).to_be_visible()
        expect(offer(editor)).to_be_enabled()
    finally:
        new_sidecar.rmdir()
    editor.errors[:] = [error for error in editor.errors if "status of 400" not in error]


def test_the_offer_is_no_part_of_the_workflow(editor, new_sidecar):
    run(editor, UNKNOWN)
    editor.run(editor.page.get_by_role("button", name="Use cat_cartoon").click)
    expect(offer(editor)).to_be_visible()
    assert "offered" not in str(editor.saved_node(CHECK_IN)["properties"])
