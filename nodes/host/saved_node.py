"""A node in the workflow that a run was sent with, which is also saved in the run's pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...checkin.readers.json_file import member, objects


def properties_of(extra_pnginfo: Mapping[str, Any] | None, execution_id: str) -> dict[str, Any]:
    """The properties of a node, to read and to change.

    If the run was sent without a workflow, an empty dict that belongs to none.
    """
    node = saved_node(extra_pnginfo, execution_id)
    if not isinstance(node.get("properties"), dict):  # changed by hand: then there are none
        node["properties"] = {}
    return node["properties"]


def saved_node(extra_pnginfo: Mapping[str, Any] | None, execution_id: str) -> dict[str, Any]:
    """The node itself; an empty dict that belongs to no workflow if none has it.

    `execution_id` is "3", or "5:3" for node 3 inside the subgraph node 5.
    """
    workflow = member(extra_pnginfo, "workflow")
    subgraphs = {
        str(one.get("id")): one for one in objects(member(workflow, "definitions", "subgraphs"))
    }
    graph: Any = workflow
    node: dict[str, Any] = {}
    for part in execution_id.split(":"):
        nodes = objects(member(graph, "nodes"))
        node = next((one for one in nodes if str(one.get("id")) == part), {})
        graph = subgraphs.get(str(node.get("type")))
    return node
