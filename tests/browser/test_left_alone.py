"""Test that the pack changes nothing in pages and workflows that use none of its nodes.

In both renderers.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from personalq.tests.browser.page import Editor

OTHERS = {
    "nodes": [{"id": 1, "type": "KSampler", "pos": [0, 0], "size": [300, 300], "properties": {}}],
    "links": [],
    "version": 0.4,
}
OURS = """() => [...document.body.querySelectorAll('[class*="personalq"], [id*="personalq"]')]
    .filter((element) => !element.closest(".personalq-tab-button"))
    .filter((element) => !element.closest("#vue-app nav"))
    .map((element) => element.className)"""


@pytest.mark.parametrize("nodes2", [False, True], ids=["classic canvas", "Nodes 2.0"])
def test_a_page_without_our_nodes_gets_styles_and_a_tab_and_nothing_else(browser, host, nodes2):
    editor = Editor(browser, host.url, nodes2=nodes2)  # opens with the host's own workflow
    asked, said = [], []
    editor.page.on("request", lambda request: asked.append(request.url))
    editor.page.on(
        "console", lambda message: said.append(f"{message.text} {message.location.get('url', '')}")
    )
    editor.reload()
    editor.page.wait_for_timeout(1000)
    elements = editor.page.evaluate(OURS)
    editor.close()
    assert elements == []
    ours = [url.partition("?")[0] for url in asked if "personalq" in url.lower()]
    assert ours, "our own files are loaded"
    assert all("/extensions/personalq/" in url for url in ours), "no route is asked"
    assert not [line for line in said if "personalq" in line.lower()], "neither errors nor warnings"
    assert editor.errors == []


def test_a_workflow_without_our_nodes_stays_as_it_is_beside_one_with_them(editor):
    editor.load(OTHERS, "others")
    assert editor.page.locator(".personalq").count() == 0
    assert "personalq" not in str(editor.saved()).lower()
    assert set(editor.saved()["nodes"][0]["properties"]) <= {"Node name for S&R", "cnr_id", "ver"}
