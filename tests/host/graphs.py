"""Graphs for the HTTP tests."""

from __future__ import annotations

from typing import Any

Graph = dict[str, dict[str, Any]]


def check_in(
    request: str, answer: str | None = "", when_unsure: str = "ask", **inputs: Any
) -> Graph:
    """Check-in and what shows its prompt, quick to run; `answer` None leaves Clarify out."""
    graph: Graph = {
        "2": {
            "class_type": "PersonalQCheckIn",
            "inputs": {
                "request": request,
                "repository": "all models",
                "base_model": "any",
                "reasoner": "offline",
            }
            | inputs,
        },
        "3": {"class_type": "PreviewAny", "inputs": {"source": ["2", 4]}},
    }
    if answer is not None:
        graph["1"] = {
            "class_type": "PersonalQClarify",
            "inputs": {"answer": answer, "when_unsure": when_unsure},
        }
        graph["2"]["inputs"]["clarifier"] = ["1", 0]
    return graph


def said(entry: dict[str, Any], node: str = "2") -> dict[str, Any]:
    """What a node of ours told the front end and the history."""
    return entry["outputs"][node]["personalq"][0]


def prompt_of(entry: dict[str, Any]) -> str | None:
    """The rewritten prompt, where the run got that far."""
    return entry["outputs"]["3"]["text"][0] if "3" in entry["outputs"] else None


def ran(entry: dict[str, Any]) -> set[str]:
    """The nodes of a run that were not taken from the cache."""
    cached = next(said["nodes"] for kind, said in entry["status"]["messages"] if "cached" in kind)
    return set(entry["prompt"][2]) - set(cached)
