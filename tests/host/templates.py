"""The workflow templates in ComfyUI's API form, as the front end would queue them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "workflows"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
_BEAR = {"size": (128, 128), "subject": "bear", "identity": "plush bear"}
DRAWN: dict[str, dict[str, Any]] = {
    "1-Ask-for-your-model-PersonalQ.app": _BEAR,
    "2-Ask-for-your-model-PersonalQ": _BEAR,
    "3-My-model-in-my-style-PersonalQ": {"size": (128, 128)},
    "4-Inside-your-own-workflow-PersonalQ": _BEAR,
    "5-A-longer-prompt-PersonalQ": {
        "size": (128, 128),
        "subject": "dog",
        "identity": "spotted dog",
    },
    "6-Half-the-memory-PersonalQ": {
        "size": (128, 128),
        "subject": "bear",
        "colour": "brown",
        "environment": "forest",
    },
}
"""What each draws on the demo repository, as `judged.seen` tells it."""
WIDGETS = ("INT", "FLOAT", "STRING", "BOOLEAN", "COMBO")


def load(name: str) -> dict[str, Any]:
    """The template as it is saved."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def as_graph(workflow: dict[str, Any], info: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The graph of a saved workflow; `info` is what the host answers to /object_info.

    Notes are left out.
    """
    origin = {link[0]: [str(link[1]), link[2]] for link in workflow["links"]}
    nodes = [node for node in workflow["nodes"] if node["type"] in info]
    return {str(node["id"]): _node(node, info[node["type"]], origin) for node in nodes}


def small(graph: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same graph with a picture of 64 px and two steps, for what the picture does not matter
    to.
    """
    for node in graph.values():
        if node["class_type"] == "EmptyLatentImage":
            node["inputs"].update(width=64, height=64)
        if node["class_type"] == "KSampler":
            node["inputs"]["steps"] = 2
    return graph


def _node(node: dict[str, Any], spec: dict[str, Any], origin: dict[int, list]) -> dict[str, Any]:
    values = iter(node.get("widgets_values", ()))
    inputs: dict[str, Any] = {}
    for name, (kind, *options) in (
        spec["input"]["required"] | spec["input"].get("optional", {})
    ).items():
        if isinstance(kind, list) or kind in WIDGETS:
            inputs[name] = next(values)
            if options and options[0].get("control_after_generate"):
                next(values)  # "fixed", "randomize": only the front end uses it
    links = {
        slot["name"]: origin[slot["link"]] for slot in node["inputs"] if slot["link"] is not None
    }
    return {"class_type": node["type"], "inputs": inputs | links}
