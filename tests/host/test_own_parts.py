"""Test requests for two subjects in a running ComfyUI, from the words to the picture."""

from __future__ import annotations

import pytest

from personalq.bench.two_loras.command import seen_in_halves
from personalq.demo.host_process import failure
from personalq.demo.request_graph import CHECK_IN, request_graph
from personalq.tests.host.graphs import check_in, said
from personalq.tests.host.test_connected import loader

REQUEST = "my realistic watch and my watercolour dog in a desert"
CHOSEN = "steel_watch\ndog_watercolour_v2"
PLACED = "Each in its own part of the picture: steel_watch left, dog_watercolour_v2 right."


def drawing(preset=None, seed: int = 10, **inputs):
    """A graph from a request to a picture that has room for two."""
    graph = request_graph(REQUEST, preset=preset, seed=seed, steps=8)
    graph["latent"]["inputs"]["width"] = 256
    graph[CHECK_IN]["inputs"] |= inputs
    return graph


def strengths(entry, node: str = CHECK_IN) -> list[float]:
    return [one["strength"] for one in said(entry, node)["models"]]


@pytest.mark.parametrize("preset", [None, "W8A8", "W4A8"])
def test_both_subjects_of_a_request_are_in_the_picture(host, preset):
    entry = host.prompt(drawing(preset), "client")
    assert failure(entry) is None
    assert said(entry, CHECK_IN)["notices"][0] == PLACED
    assert strengths(entry) == [1.0, 1.0]
    (picture,) = host.pictures(entry)
    assert seen_in_halves(picture) == ["steel watch", "spotted dog"]


def test_it_can_be_turned_off(host):
    entry = host.prompt(drawing(each_in_its_place=False), "client")
    assert failure(entry) is None
    assert PLACED not in said(entry, CHECK_IN)["notices"]
    assert strengths(entry) == [0.85, 0.85]
    (picture,) = host.pictures(entry)
    assert seen_in_halves(picture) != ["steel watch", "spotted dog"]


def test_a_subject_that_is_off_leaves_the_other_the_whole_picture(host):
    entry = host.prompt(check_in(REQUEST, chosen=f"{CHOSEN}; off"), "client")
    assert not any("part of the picture" in one for one in said(entry)["notices"])
    assert strengths(entry, "2")[0] == 1.0


def test_a_prompt_that_another_node_encodes_gets_both_on_the_model(host):
    """And when the conditioning is connected afterwards, each has its part."""
    graph = drawing()
    text = {"clip": [CHECK_IN, 1], "text": [CHECK_IN, 4]}
    graph["text"] = {"class_type": "CLIPTextEncode", "inputs": text}
    graph["sample"]["inputs"] |= {"positive": ["text", 0], "steps": 1}
    entry = host.prompt(graph, "client")
    assert failure(entry) is None
    assert said(entry, CHECK_IN)["notices"][0].startswith(
        "steel_watch and dog_watercolour_v2 act on the whole picture. To draw each in its own part"
    )
    assert strengths(entry) == [0.85, 0.85]
    graph["sample"]["inputs"]["positive"] = [CHECK_IN, 3]
    assert said(host.prompt(graph, "client"), CHECK_IN)["notices"][0] == PLACED


def test_trigger_rewrite_draws_both(host):
    graph = drawing()
    given = {"clip": [CHECK_IN, 1], "selection": [CHECK_IN, 5]}
    given["text"] = "a realistic watch and a watercolour dog in a desert"
    graph["text"] = {"class_type": "PersonalQTriggerRewrite", "inputs": given}
    graph["sample"]["inputs"]["positive"] = ["text", 0]
    entry = host.prompt(graph, "client")
    assert said(entry, CHECK_IN)["notices"][0] == PLACED
    assert said(entry, "text")["why"] == "Each subject is drawn in its own part of the picture."
    (picture,) = host.pictures(entry)
    assert seen_in_halves(picture) == ["steel watch", "spotted dog"]


def test_a_connected_model_draws_both(host):
    links = {"model": ["load", 0], "clip": ["load", 1], "vae": ["load", 2]}
    entry = host.prompt(drawing(**links) | loader(), "client")
    assert failure(entry) is None
    assert said(entry, CHECK_IN)["notices"][0] == PLACED
    (picture,) = host.pictures(entry)
    assert seen_in_halves(picture) == ["steel watch", "spotted dog"]


def test_the_stack_has_both_as_strong_as_on_one_model(host):
    graph = check_in(REQUEST)
    graph["3"]["inputs"]["source"] = ["2", 6]
    entry = host.prompt(graph, "client")
    assert "0.85" in entry["outputs"]["3"]["text"][0]
    assert strengths(entry, "2") == [1.0, 1.0]
