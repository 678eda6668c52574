"""Test reading a node's properties from the workflow of a run."""

from __future__ import annotations

import pytest

from personalq.nodes.host.saved_node import properties_of

INNER = {"id": 3, "type": "PersonalQCheckIn", "properties": {"a": 1}}
WORKFLOW = {
    "nodes": [{"id": 3, "type": "KSampler", "properties": {"b": 2}}, {"id": 5, "type": "uuid-1"}],
    "definitions": {
        "subgraphs": [
            {"id": "uuid-1", "nodes": [{"id": 7, "type": "uuid-2"}]},
            {"id": "uuid-2", "nodes": [INNER]},
        ]
    },
}


def test_a_node_of_the_workflow():
    assert properties_of({"workflow": WORKFLOW}, "3") == {"b": 2}


def test_a_node_inside_subgraphs():
    assert properties_of({"workflow": WORKFLOW}, "5:7:3") == {"a": 1}


def test_a_workflow_whose_parts_are_empty():
    workflow = {"nodes": [{"id": 4, "properties": {"c": 3}}], "definitions": None}
    assert properties_of({"workflow": workflow}, "4") == {"c": 3}


def test_what_is_changed_is_saved():
    workflow = {"nodes": [{"id": "4", "type": "PersonalQCheckIn"}]}
    properties_of({"workflow": workflow}, "4")["made"] = "x"
    assert workflow["nodes"][0]["properties"] == {"made": "x"}


def test_a_run_without_a_workflow_or_the_node():
    assert (
        properties_of(None, "3")
        == properties_of({}, "3")
        == properties_of({"workflow": WORKFLOW}, "9:1")
        == {}
    )


@pytest.mark.parametrize(
    "workflow",
    [
        "text",
        7,
        [],
        {"nodes": None},
        {"nodes": [None, 1, [], {"type": 1}]},
        {"nodes": [{"id": 3, "properties": "text"}]},
        {"nodes": [{"id": 3, "type": []}]},
        {"definitions": []},
        {"definitions": {"subgraphs": None}},
        {"definitions": {"subgraphs": [{}, 1]}},
    ],
    ids=str,
)
def test_a_workflow_broken_by_hand_has_no_properties(workflow):
    assert properties_of({"workflow": workflow}, "3") == {}
    assert properties_of({"workflow": workflow}, "3:4") == {}
    assert properties_of(workflow, "3") == {}
