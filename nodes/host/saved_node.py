"""A node as the workflow holds it that a run came with, which pictures of the run carry."""

from __future__ import annotations

from typing import Any

MADE_WITH = "personalq_made_with"
"""Property of Repo Check-in: which model its last decision was, as the text of a `PinnedModel`."""


def properties_of(extra_pnginfo: dict[str, Any] | None, execution_id: str) -> dict[str, Any]:
    """The properties of a node, to read and to change; those of nobody where the run came without a
    workflow.

    `execution_id` is "3", or "5:3" for node 3 inside the subgraph node 5.
    """
    workflow = (extra_pnginfo or {}).get("workflow") or {}
    subgraphs = {one["id"]: one for one in workflow.get("definitions", {}).get("subgraphs", [])}
    graph: dict[str, Any] = workflow
    node: dict[str, Any] = {}
    for part in execution_id.split(":"):
        node = next((one for one in graph.get("nodes", []) if str(one["id"]) == part), {})
        graph = subgraphs.get(node.get("type"), {})
    return node.setdefault("properties", {})
