"""A node in the workflow that a run was sent with, which is also saved in the run's pictures."""

from __future__ import annotations

from typing import Any


def properties_of(extra_pnginfo: dict[str, Any] | None, execution_id: str) -> dict[str, Any]:
    """The properties of a node, to read and to change.

    If the run was sent without a workflow, an empty dict that belongs to none. `execution_id` is
    "3", or "5:3" for node 3 inside the subgraph node 5.
    """
    workflow = (extra_pnginfo or {}).get("workflow") or {}
    subgraphs = {one["id"]: one for one in (workflow.get("definitions") or {}).get("subgraphs", [])}
    graph: dict[str, Any] = workflow
    node: dict[str, Any] = {}
    for part in execution_id.split(":"):
        node = next((one for one in graph.get("nodes", []) if str(one["id"]) == part), {})
        graph = subgraphs.get(node.get("type"), {})
    return node.setdefault("properties", {})
