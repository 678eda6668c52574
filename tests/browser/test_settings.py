"""Test our settings in ComfyUI's dialog.

The server stores them, and the next run uses them.
"""

from __future__ import annotations

import pytest
import yaml

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.test_ask import AMBIGUOUS, CHECK_IN, said

pytestmark = pytest.mark.beside_the_canvas

CHOICES = [
    "Ranking by meaning",
    "Language model",
    "Hardware: speed or quality",
    "Questions in a row, at most",
]


@pytest.fixture
def dialog(editor, host):
    """Our page of the settings dialog; the settings are forgotten afterwards, the uses of models
    before.
    """
    settings(host).with_name("history.jsonl").unlink(missing_ok=True)
    editor.open_settings()
    yield editor.page.get_by_role("dialog")
    editor.page.keyboard.press("Escape")
    settings(host).unlink(missing_ok=True)


def settings(host):
    return host.base_directory / "user" / "__personalq" / "settings.yaml"


def test_names_are_offered_and_neither_keys_nor_paths(dialog, host):
    expect(dialog.get_by_role("group", name="Folders of models")).to_be_visible()
    for name in CHOICES:
        expect(dialog.get_by_role("combobox", name=name)).to_be_visible()
    models = (
        dialog.get_by_role("combobox", name="Language model").locator("option").all_inner_texts()
    )
    assert models[:2] == ["offline: nothing is sent anywhere", "gemini"]
    text = dialog.inner_html()
    assert "API_KEY" not in text
    assert str(host.models) not in text


def test_a_change_is_kept_by_the_server(dialog, editor, host):
    with editor.page.expect_response(saved):
        dialog.get_by_role("combobox", name=CHOICES[2]).select_option("quality")
    with editor.page.expect_response(saved):
        dialog.get_by_label("bear", exact=True).uncheck()
    assert settings(host).read_text() == "prefer: quality\nleave_out:\n- loras/bear\n"
    editor.page.keyboard.press("Escape")
    editor.reload()
    editor.open_settings()
    expect(dialog.get_by_role("combobox", name=CHOICES[2])).to_have_value('"quality"')
    expect(dialog.get_by_label("bear", exact=True)).not_to_be_checked()
    with editor.page.expect_response(saved):
        dialog.get_by_label("bear", exact=True).check()
    assert settings(host).read_text() == "prefer: quality\n"


def test_two_changes_at_once_are_both_kept(dialog, editor, host):
    group = dialog.get_by_role("group", name="Folders of models")
    names = [label.inner_text() for label in group.locator("label.personalq-below").all()[:2]]
    sent = []
    editor.page.on("response", lambda response: sent.append(1) if saved(response) else None)
    group.locator("label.personalq-below input").evaluate_all(
        "boxes => boxes.slice(0, 2).forEach((box) => box.click())"
    )
    editor.page.wait_for_timeout(1000)
    assert len(sent) == 2
    left_out = yaml.safe_load(settings(host).read_text())["leave_out"]
    assert [one.rpartition("/")[2] for one in left_out] == names


def test_the_next_run_follows_them(dialog, editor):
    with editor.page.expect_response(saved):
        dialog.get_by_role("combobox", name=CHOICES[3]).select_option("0")
    with editor.page.expect_response(saved):
        dialog.get_by_role("combobox", name=CHOICES[2]).select_option("speed")
    editor.page.keyboard.press("Escape")
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    decided = said(editor.run())
    assert (decided["outcome"], decided["serving"]["stage"]) == ("select", "preview")


def test_a_preview_follows_them_at_once(dialog, editor):
    name = editor.page.locator(".personalq-model .personalq-label")
    editor.set_value(CHECK_IN, "request", "bear realistic v3 on grass")
    expect(name).to_have_text(["bear_realistic_v3"])
    dialog.get_by_label("bear", exact=True).uncheck()
    expect(name).to_have_count(0)
    dialog.get_by_label("bear", exact=True).check()
    expect(name).to_have_text(["bear_realistic_v3"])


def saved(response) -> bool:
    return response.url.endswith("/personalq/settings") and response.request.method == "POST"


def test_the_base_of_a_familys_loras(dialog, editor, host):
    base = dialog.get_by_role("group", name="Base of LoRAs").get_by_role("combobox", name="SD 1.5")
    with editor.page.expect_response(saved):
        base.select_option("dog_realistic")
    assert settings(host).read_text() == "bases:\n  sd15: dog_realistic\n"
    editor.page.keyboard.press("Escape")
    editor.open_settings()
    expect(base).to_have_value('"dog_realistic"')
    with editor.page.expect_response(saved):
        base.select_option("the likeliest one")
    assert settings(host).read_text() == ""
