"""Chromium, and the editor of the shared ComfyUI in both renderers.

Tests are skipped where one of them is missing.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import pytest


@pytest.fixture(
    scope="module"
)  # not for the session: its event loop would be in the way of tests that start their own
def browser() -> Iterator:
    """A headless Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from personalq.tests.browser.page import BROWSER_ARGUMENTS, installed_browser

    api.expect.set_options(timeout=30_000)  # in milliseconds, as a busy machine needs

    with api.sync_playwright() as playwright:
        program = installed_browser() or playwright.chromium.executable_path
        if not os.path.isfile(program):
            pytest.skip("no Chromium here (install one, or run: playwright install chromium)")
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGUMENTS)
        yield browser
        browser.close()


RENDERERS = ["classic canvas", "Nodes 2.0"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test runs in both renderers, but those of what is the same in both."""
    if "opened" in metafunc.fixturenames:
        marks = {mark.name for mark in metafunc.definition.iter_markers()}
        one = "beside_the_canvas" in marks and "both_renderers" not in marks
        metafunc.parametrize(
            "opened", RENDERERS[1:] if one else RENDERERS, indirect=True, scope="module"
        )


@pytest.fixture(scope="module")
def opened(request: pytest.FixtureRequest, browser, host) -> Iterator:
    """The editor in one of the two renderers, opened once for the tests of a file."""
    from personalq.tests.browser.page import Editor

    editor = Editor(browser, host.url, nodes2=request.param == "Nodes 2.0")
    yield editor
    editor.close()


@pytest.fixture
def template() -> dict:
    """From a request to a picture, with Clarify, a small picture and few steps."""
    from personalq.tests.browser.page import small_template

    return small_template("asking", side=64, steps=2)


@pytest.fixture
def editor(opened, host, template) -> Iterator:
    """The editor with the small template loaded; at the end, our files must have caused no error on
    the page.
    """
    # Forget outputs: each test sees first runs. Forget runs: their list is asked for all the time.
    host.post("/free", {"unload_models": False, "free_memory": True})
    host.post("/history", {"clear": True})
    opened.load({**template, "id": str(uuid.uuid4())})  # no state of a tab of another test
    yield opened
    errors, opened.errors = opened.errors, []  # the next test has only its own
    assert not errors
