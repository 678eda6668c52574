"""Play the first visit of a person: from an empty canvas to a saved workflow.

In both renderers.
"""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from personalq.tests.browser.page import Editor


@pytest.fixture(params=[pytest.param("classic canvas", marks=pytest.mark.newest), "Nodes 2.0"])
def visitor(request, browser, host):
    """A page of the size that many people have."""
    from personalq.tests.browser.first_time import SIZE

    editor = Editor(browser, host.url, nodes2=request.param == "Nodes 2.0", size=SIZE)
    yield editor
    editor.close()


def test_a_first_visit(visitor, tmp_path):
    from personalq.tests.browser.first_time import keep_pictures

    steps = list(keep_pictures(visitor, tmp_path, small=True))
    assert (steps[0], steps[-1]) == ("empty", "reloaded")
    assert not visitor.errors
