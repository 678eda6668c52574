"""Test the page that `python quickstart.py open` opens, in a browser with a new profile."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Browser

from personalq.tests.browser.page import READY as PAGE_READY
from personalq.tests.browser.page import load_template
from personalq.tests.judged import seen
from personalq.tests.opened_canvas import READY, opened_canvas

TYPES = "() => app.canvas.graph.nodes.map((node) => node.comfyClass ?? node.type)"


def test_the_page_shows_the_template_and_run_draws(
    browser: Browser, comfyui: Path, demo_repository: Path, tmp_path: Path
) -> None:
    with opened_canvas(comfyui, demo_repository, tmp_path) as opened:
        opened.wait_until_said(READY)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(opened.address, wait_until="domcontentloaded")
        page.wait_for_function(PAGE_READY)
        page.wait_for_function(f"({TYPES})().includes('PersonalQCheckIn')")
        template = load_template("1-Ask-for-your-model-PersonalQ.app")
        assert sorted(page.evaluate(TYPES)) == sorted(node["type"] for node in template["nodes"])
        page.wait_for_timeout(2000)  # what a first start may show is there
        assert page.get_by_role("dialog").count() == 0
        page.get_by_role("button", name="Run", exact=True).first.click()
        page.locator("img[src*='PersonalQ_']").first.wait_for(timeout=120_000)
        assert page.locator(".personalq-model").is_visible(), "the app shows which model was used"
        page.close()
        (picture,) = tmp_path.glob("canvas-*/output/*.png")
        assert seen(picture).items() >= {"size": (128, 128), "identity": "plush bear"}.items()
