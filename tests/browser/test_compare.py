"""Test comparing the chosen model with the others: one picture of each, and a click takes one."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN
from personalq.tests.browser.test_decision import decide, offers, panel

pytestmark = pytest.mark.beside_the_canvas
REQUEST = "my latest realistic bear on forest grass"


def dialog(editor):
    return editor.page.get_by_role("dialog", name="The same picture with each model")


def test_each_model_draws_and_a_click_takes_one(editor):
    decide(editor, REQUEST)
    others = offers(editor).count()
    panel(editor).get_by_role("button", name="to compare").click()
    pictures = dialog(editor).locator("img")
    expect(pictures).to_have_count(1 + others, timeout=120_000)
    files = {picture.get_attribute("src") for picture in pictures.all()}
    assert len(files) == 1 + others
    assert all("type=temp" in file for file in files), "nothing is saved"
    names = dialog(editor).locator(".personalq-label").all_inner_texts()[1:]
    expect(panel(editor).locator(".personalq-model .personalq-label")).to_have_text(names[0])
    entry = editor.run(dialog(editor).get_by_role("button", name=f"Use {names[1]}").click)
    expect(dialog(editor)).to_have_count(0)
    expect(panel(editor).locator(".personalq-model .personalq-label")).to_have_text(names[1])
    assert names[1] in editor.value(CHECK_IN, "chosen")
    assert editor.pictures(entry)


def test_no_run_leaves_an_address_of_a_blob_behind(editor):
    decide(editor, REQUEST)
    editor.page.evaluate(
        """() => {
            window.blobs = [];
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                URL.createObjectURL = make;
                const address = make.call(URL, blob);
                window.blobs.push(address);
                return address;
            };
        }"""
    )
    panel(editor).get_by_role("button", name="to compare").click()
    expect(dialog(editor).locator("img").first).to_be_visible(timeout=120_000)
    editor.page.keyboard.press("Escape")
    left = "() => Promise.allSettled(window.blobs.map((each) => fetch(each)))"
    assert [one["status"] for one in editor.page.evaluate(left)] == ["rejected"]


def test_closing_stops_what_is_still_to_be_drawn(editor):
    decide(editor, REQUEST)
    editor.page.evaluate(
        """async () => {
            const { api } = await import("/scripts/api.js");
            window.signals = [];
            api.addEventListener = function (type, on, options) {
                window.signals.push(options.signal);
                return Object.getPrototypeOf(api).addEventListener.call(api, type, on, options);
            };
        }"""
    )
    panel(editor).get_by_role("button", name="to compare").click()
    expect(dialog(editor)).to_be_visible()
    editor.page.wait_for_timeout(500)
    editor.page.keyboard.press("Escape")
    expect(dialog(editor)).to_have_count(0)
    editor.page.wait_for_function(
        "async () => { const q = await (await fetch('/queue')).json();"
        " return !q.queue_pending.length && !q.queue_running.length; }"
    )
    assert editor.value(CHECK_IN, "chosen") == ""
    heard = editor.page.wait_for_function(
        "() => window.signals.every((one) => one.aborted) && window.signals.length"
    )
    assert heard.json_value() > 4, "what waited is not listened to any more either"
    editor.page.evaluate(
        'async () => { delete (await import("/scripts/api.js")).api.addEventListener; }'
    )
