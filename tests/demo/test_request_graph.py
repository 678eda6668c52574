"""The graphs that the quick start and the measurements send."""

from __future__ import annotations

import pytest

from personalq.demo.host_process import Graph
from personalq.demo.request_graph import CHECK_IN, TAQ, checkpoint_graph, request_graph


def _links(graph: Graph) -> list[tuple[str, int]]:
    inputs = (value for node in graph.values() for value in node["inputs"].values())
    return [(value[0], value[1]) for value in inputs if isinstance(value, list)]


@pytest.mark.parametrize("preset", ["W8A8", "W4A8", None])
def test_every_link_has_its_node(preset) -> None:
    for graph in (
        request_graph("a bear", preset=preset),
        checkpoint_graph("base.safetensors", preset=preset, seed=1, side=64, steps=2),
    ):
        assert {name for name, _ in _links(graph)} <= graph.keys()
        assert (TAQ in graph) == (preset is not None)


def test_the_sampler_runs_what_taq_quantized() -> None:
    graph = request_graph("a bear", preset="W4A8")
    assert graph["sample"]["inputs"]["model"] == [TAQ, 0]
    assert graph[TAQ]["inputs"]["model"] == [CHECK_IN, 0]
    assert graph[TAQ]["inputs"]["preset"] == "W4A8"
    assert request_graph("a bear", preset=None)["sample"]["inputs"]["model"] == [CHECK_IN, 0]


def test_request_and_answer_go_where_they_belong() -> None:
    graph = request_graph("a bear", answer="for: a bear\nApril 2026", seed=7, side=64, steps=2)
    assert graph[CHECK_IN]["inputs"]["request"] == "a bear"
    assert graph["clarify"]["inputs"]["answer"] == "for: a bear\nApril 2026"
    assert (graph["sample"]["inputs"]["seed"], graph["sample"]["inputs"]["steps"]) == (7, 2)
    assert graph["latent"]["inputs"]["width"] == 64
