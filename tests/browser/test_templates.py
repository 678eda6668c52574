"""Each workflow template as it opens and after its run: no node lies on another. In both renderers."""

from __future__ import annotations

import itertools

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from personalq.tests.browser.page import WORKFLOWS, small_template

BOXES = """() => {
    const cards = document.querySelector("[data-node-id]") !== null;
    return app.canvas.graph.nodes.map((node) => {
        if (!cards) return [node.title, ...node.getBounding()];
        const { x, y, width, height } = document.querySelector(`[data-node-id="${node.id}"]`).getBoundingClientRect();
        return [node.title, x, y, width, height];
    });
}"""
"""[title, x, y, width, height] of each node: on the page in Nodes 2.0, where each has a card, else in the graph."""


def overlapping(editor) -> list[tuple[str, str]]:
    """Titles of nodes that lie on each other."""
    boxes = editor.page.evaluate(BOXES)
    return [(a[0], b[0]) for a, b in itertools.combinations(boxes, 2) if meet(a[1:], b[1:])]


def meet(a: list[float], b: list[float]) -> bool:
    return all(a[i] < b[i] + b[i + 2] and b[i] < a[i] + a[i + 2] for i in (0, 1))


@pytest.mark.parametrize("name", sorted(file.stem for file in WORKFLOWS.glob("*.json")))
def test_nodes_do_not_cover_each_other(editor, name):
    editor.load(small_template(name, side=64, steps=2), name)
    editor.look_at(0.5)  # all of the graph: nodes out of view are not drawn
    editor.page.wait_for_timeout(500)
    assert overlapping(editor) == []
    editor.run()
    editor.page.wait_for_timeout(1000)  # panels grow once their contents are there
    assert overlapping(editor) == []
