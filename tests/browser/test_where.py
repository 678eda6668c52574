"""A question reaches its own node, wherever that is, and no other. In both renderers."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

AMBIGUOUS = "a bear on forest grass"
CHECK_IN, CLARIFY = "PersonalQCheckIn", "PersonalQClarify"


@pytest.fixture
def asking(editor):
    """The editor with a request that will ask."""
    editor.set_value(CHECK_IN, "request", AMBIGUOUS)
    return editor


def test_a_collapsed_node_is_pointed_to(asking):
    asking.collapse(CLARIFY)
    asking.run()
    expect(asking.toasts.filter(has_text='Expand the node "Clarify"')).to_be_visible()
    asking.collapse(CLARIFY)
    expect(asking.question).to_be_visible()


def test_a_closed_subgraph_is_pointed_to_and_answered_inside(asking):
    asking.into_subgraph(CLARIFY, CHECK_IN)
    asking.run()
    expect(asking.toasts.filter(has_text='Open the subgraph "New Subgraph"')).to_be_visible()
    asking.open_subgraph()
    expect(asking.question).to_be_visible()
    assert asking.pictures(asking.run(asking.choices.nth(0).click))


def test_clarify_alone_in_a_subgraph_gets_the_question(asking):
    asking.into_subgraph(CLARIFY)
    asking.run()
    asking.open_subgraph()
    expect(asking.question).to_be_visible()


def test_a_question_waits_for_its_own_workflow(asking, template):
    held = []  # what the question waits for, so that the tab is changed first
    asking.page.route("**/api/jobs/*", lambda route: held.append(route))
    asking.run()
    asking.load(template, "another_workflow")
    for request in held:
        request.continue_()
    asking.page.unroute("**/api/jobs/*")
    expect(asking.toasts.filter(has_text="A question waits in another workflow tab")).to_be_visible()
    expect(asking.question).to_have_count(0)
    asking.previous_tab()
    expect(asking.question).to_be_visible()


def test_a_graph_without_our_nodes_is_left_alone(editor):
    editor.load({"nodes": [], "links": [], "version": 0.4}, "nothing_of_ours")
    editor.page.evaluate(
        "() => { LiteGraph.createNode('KSampler') && app.graph.add(LiteGraph.createNode('KSampler')); }"
    )
    assert not editor.page.locator(".personalq").count()
    assert set(editor.saved()["nodes"][0]["properties"]) <= {"Node name for S&R", "cnr_id", "ver"}
