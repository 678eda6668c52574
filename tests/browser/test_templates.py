"""Test each workflow template as a person opens and runs it, in both renderers.

All text is readable, nodes do not overlap, and on the demo models it draws what it asks for; the
classic canvas draws it small.
"""

from __future__ import annotations

import itertools

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.page import load_template
from personalq.tests.host.templates import DRAWN, NAMES
from personalq.tests.judged import seen
from personalq.tests.test_locales import LANGUAGES, load

LAPTOP = {"width": 1440, "height": 900}
READABLE = 0.8
"""Scale of the view at which a node's 12 px are 9.6. The classic canvas draws no text below 0.57.
"""
BOXES = """() => {
    const cards = document.querySelector("[data-node-id]") !== null;
    return app.canvas.graph.nodes.map((node) => {
        if (cards) {
            const element = document.querySelector(`[data-node-id="${node.id}"]`);
            const box = element.getBoundingClientRect();
            return [node.title, box.x, box.y, box.width, box.height];
        }
        const [x, y, width, height] = node.getBounding();
        const scale = app.canvas.ds.scale;
        return [node.title, ...app.canvasPosToClientPos([x, y]), width * scale, height * scale];
    });
}"""
"""[title, x, y, width, height] of each node, in pixels of the page."""

TITLED = """async (titles) => {
    for (const node of app.canvas.graph.nodes) {
        node.title = titles[node.type] ?? node.title;
        node.setSize([Math.max(node.size[0], node.computeSize()[0]), node.size[1]]);
    }
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
}"""
"""Gives nodes the titles of their types, and at least the width of these, as a page in another
language does."""


def overlapping(boxes) -> list[tuple[str, str]]:
    """Titles of nodes that lie on each other."""
    return [(a[0], b[0]) for a, b in itertools.combinations(boxes, 2) if meet(a[1:], b[1:])]


def meet(a: list[float], b: list[float]) -> bool:
    return all(a[i] < b[i] + b[i + 2] and b[i] < a[i] + a[i + 2] for i in (0, 1))


def outside(boxes) -> list[str]:
    """Titles of nodes that are not wholly on the page, or below its bars at the top and on the
    left.
    """
    left, top = 60, 90
    return [
        title
        for title, x, y, width, height in boxes
        if x < left or y < top or x + width > LAPTOP["width"] or y + height > LAPTOP["height"]
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_template_opens_readable_and_runs_as_it_is(editor, host, name):
    editor.page.set_viewport_size(LAPTOP)
    open_template = (
        "([graph, name]) => app.loadGraphData(graph, true, true, name, { openSource: 'template' })"
    )
    editor.page.evaluate(open_template, [load_template(name), name])
    editor.page.wait_for_timeout(800)  # the page fits the view, and draws
    if name.endswith(".app"):
        expect(editor.page.locator(".personalq-decision")).to_be_visible()
        editor.page.wait_for_function(
            "() => [...document.querySelectorAll('textarea')].some((box) => "
            "box.checkVisibility() && box.value.startsWith('my latest'))"
        )
        assert_shows(draw(editor), editor, host, name)
        return
    assert editor.page.evaluate("() => app.canvas.ds.scale") >= READABLE
    boxes = editor.page.evaluate(BOXES)
    assert (overlapping(boxes), outside(boxes)) == ([], [])
    pictures = draw(editor)
    editor.page.wait_for_timeout(1000)  # panels grow once their contents are there
    assert overlapping(editor.page.evaluate(BOXES)) == []
    assert_shows(pictures, editor, host, name)


def draw(editor) -> list[dict[str, str]]:
    """The pictures of a run."""
    if not editor.nodes2:
        editor.draw_small()
    return editor.pictures(editor.run())


def assert_shows(pictures, editor, host, name) -> None:
    """There are pictures, in which the judge sees what the template asks for."""
    assert pictures
    for picture in pictures if editor.nodes2 else ():
        shown = seen(host.base_directory / "output" / picture["filename"])
        assert shown.items() >= DRAWN[name].items()


def test_nodes_leave_room_for_their_titles_in_each_language(editor):
    lying = []
    for name in (one for one in NAMES if not one.endswith(".app")):
        for language in LANGUAGES:
            editor.load(load_template(name), f"{name} {language}")
            titles = {kind: one["display_name"] for kind, one in load(language).items()}
            editor.page.evaluate(TITLED, titles)
            boxes = editor.page.evaluate(BOXES)
            assert titles["PersonalQSettings"] in {box[0] for box in boxes}
            lying += [(name, language, pair) for pair in overlapping(boxes)]
    assert not lying
