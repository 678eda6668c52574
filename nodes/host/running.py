"""The graph that runs now, and what in it uses the outputs of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server import PromptServer

MODEL, CONDITIONING, SELECTION = 0, 3, 5
"""Outputs of Repo Check-in."""
_REWRITE = "PersonalQTriggerRewrite"


def running_graph() -> Mapping[str, Any]:
    """The graph that the host runs now, in the API form; {} if none runs."""
    return _running(2)


def running_workflow() -> Mapping[str, Any]:
    """The extra_pnginfo of the run, which holds the workflow as it is saved; {} if none runs."""
    return _running(3).get("extra_pnginfo") or {}


def _running(part: int) -> Mapping[str, Any]:
    running, _ = PromptServer.instance.prompt_queue.get_current_queue_volatile()
    return running[0][part] if running else {}


def is_encoded(graph: Mapping[str, Any], check_in: str) -> bool:
    """Whether what Check-in's model draws comes from a conditioning of ours, its own or that of
    Trigger Rewrite, and not from its prompt, encoded by another node.

    Where the graph does not tell, because it was made while it runs, it is taken to be so.
    """
    used = {
        (link[1], node["class_type"] == _REWRITE)
        for node in graph.values()
        for link in node.get("inputs", {}).values()
        if isinstance(link, list) and len(link) == 2 and link[0] == check_in
    }
    outputs = {output for output, _ in used}
    return MODEL not in outputs or CONDITIONING in outputs or (SELECTION, True) in used
