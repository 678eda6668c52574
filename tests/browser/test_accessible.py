"""Test that what we show can be read and used by everybody: contrast, names, focus, motion.

Measured on the page itself, in the dark and the light theme.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import AMBIGUOUS, CHECK_IN

CLEAR = "my latest realistic bear in the snow"
MEASURES = (Path(__file__).parent / "measures.js").read_text(encoding="utf-8")


def check(page, texts: int) -> None:
    """What is on the page now can be read, named, reached and does not move."""
    page.wait_for_timeout(300)
    page.evaluate(MEASURES)
    ready = "(least) => measures.texts() >= least && !measures.faint().length"
    for _ in range(120):  # on a busy machine, what the host fades in takes its time
        if page.evaluate(ready, texts):
            break
        page.wait_for_timeout(250)
    assert page.evaluate("() => measures.texts()") >= texts, "too little is shown to be measured"
    found = {what: page.evaluate(f"() => measures.{what}()") for what in ("faint", "nameless")}
    found["unreachable"] = page.evaluate("() => measures.unreachable()")
    page.keyboard.press("Shift")  # the last thing used is the keyboard
    found["unmarked"] = page.evaluate("() => measures.unmarked()")
    found["moving"] = page.evaluate("() => measures.moving()")
    assert not any(found.values()), found


@pytest.fixture(scope="module", params=["dark", "light"])
def themed(request, browser, host):
    """The editor in one theme, for a person who wants little motion."""
    from personalq.tests.browser.page import Editor

    editor = Editor(browser, host.url, nodes2=True, theme=request.param)
    editor.page.emulate_media(reduced_motion="reduce")
    yield editor
    editor.close()
    Editor(browser, host.url, nodes2=True).close()  # the theme is a setting of the server


@pytest.fixture
def page(themed, template):
    themed.load(template)
    return themed.page


def test_a_decision(page, themed):
    themed.set_value(CHECK_IN, "request", CLEAR)
    expect(page.get_by_role("button", name="to compare")).to_be_visible()
    check(page, 10)


def test_several_models(page, themed):
    themed.set_value(CHECK_IN, "request", "the checker taxi in blueprint style")
    expect(page.locator(".personalq-model")).to_have_count(2)
    check(page, 10)


def test_a_question(page, themed):
    themed.set_value(CHECK_IN, "request", AMBIGUOUS)
    expect(themed.choices.first).to_be_visible()
    check(page, 6)
    page.add_style_tag(content=".personalq-choice .personalq-dim { color: #777 !important }")
    assert page.evaluate("() => measures.faint().length"), "grey on grey is found"
    page.evaluate("() => document.head.lastChild.remove()")


@pytest.mark.parametrize("request_text", ["a zebra on a bicycle", "a bear " * 700])
def test_a_refusal(page, themed, request_text):
    themed.set_value(CHECK_IN, "request", request_text)
    expect(page.locator(".personalq-decision .personalq-why-text")).not_to_have_text("Not run yet.")
    check(page, 2)


def test_a_failed_run(page, themed):
    themed.set_value(CHECK_IN, "request", "a bear " * 700)
    themed.run()
    check(page, 2)


def test_the_comparison(page, themed):
    themed.set_value(CHECK_IN, "request", CLEAR)
    page.get_by_role("button", name="to compare").click()
    dialog = page.get_by_role("dialog", name="The same picture with each model")
    expect(dialog).to_be_visible()
    try:
        page.evaluate(
            "() => document.querySelectorAll('.personalq').forEach((one) => "
            "one.closest('dialog') ?? one.classList.remove('personalq'))"
        )  # what is behind the dialog cannot be used
        check(page, 4)
    finally:
        page.keyboard.press("Escape")


def test_the_tab_and_a_card(page, themed):
    themed.open_library()
    check(page, 20)
    page.locator(".personalq-open").first.click()
    page.locator(".personalq-editor").wait_for()
    check(page, 20)
    page.get_by_role("button", name="All models").click()
    page.get_by_role("button", name="PersonalQ").first.click()


def test_the_settings(page, themed):
    themed.open_settings()
    check(page, 3)
    page.keyboard.press("Escape")
