"""What ComfyUI's own templates sample a model with."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

LOADERS = ("UNETLoader", "CheckpointLoaderSimple")
_PLACES = {
    "KSampler": {"steps": 2, "cfg": 3, "sampler": 4, "scheduler": 5},
    "KSamplerAdvanced": {"steps": 3, "cfg": 4, "sampler": 5, "scheduler": 6},
    "SamplerCustom": {"cfg": 3},
    "KSamplerSelect": {"sampler": 0},
    "BasicScheduler": {"scheduler": 0, "steps": 1},
    "Flux2Scheduler": {"steps": 0},
    "BetaSamplingScheduler": {"steps": 0},
    "DualCFGGuider": {"cfg": 0},
    "CFGGuider": {"cfg": 0},
    "EmptyLatentImage": {"width": 0, "height": 1},
    "EmptySD3LatentImage": {"width": 0, "height": 1},
    "EmptyFlux2LatentImage": {"width": 0, "height": 1},
    "EmptyChromaRadianceLatentImage": {"width": 0, "height": 1},
    "EmptyHunyuanLatentVideo": {"width": 0, "height": 1},
    "Wan22ImageToVideoLatent": {"width": 0, "height": 1},
}
"""Node -> setting -> its place among the node's widgets."""
_INPUTS = {"sampler": "sampler_name"}
"""What the input of a setting is called, if not as the setting."""


def folder() -> Path | None:
    """Where the templates are installed; None if they are not."""
    package = find_spec("comfyui_workflow_templates_json")
    places = package.submodule_search_locations if package else None
    return Path(next(iter(places))) / "templates" if places else None


class _Graph(NamedTuple):
    """A workflow or subgraph, with the node and graph that it stands in."""

    content: dict[str, Any]
    node: dict[str, Any] | None = None
    outer: _Graph | None = None

    def inner(self, subgraphs: dict[str, dict]) -> list[_Graph]:
        """Itself, and the graphs of its nodes."""
        parts = [node for node in self.content["nodes"] if node["type"] in subgraphs]
        found = [_Graph(subgraphs[node["type"]], node, self) for node in parts]
        return [self, *(graph for one in found for graph in one.inner(subgraphs))]

    def value(self, node: dict[str, Any], name: str, own: Any, fast: bool) -> Any:
        """What the input `name` of a node gets; `own` is the value of its widget."""
        inputs = {one["name"]: one.get("link") for one in node.get("inputs", ())}
        link = inputs.get(name)
        if link is None:
            return own
        origin, slot = self._origin(link)
        if origin == -10:  # an input of this subgraph
            return self._from_outside(self.content["inputs"][slot]["name"], own, fast)
        source = next(one for one in self.content["nodes"] if one["id"] == origin)
        if source["type"] == "ComfySwitchNode":
            return self.value(source, "on_true" if fast else "on_false", None, fast)
        widgets = source.get("widgets_values") or [None]
        return widgets[0]

    def _origin(self, link: int) -> tuple[int, int]:
        for one in self.content["links"]:
            if isinstance(one, dict) and one["id"] == link:
                return one["origin_id"], one["origin_slot"]
            if isinstance(one, list) and one[0] == link:
                return one[1], one[2]
        raise KeyError(link)

    def _from_outside(self, name: str, own: Any, fast: bool) -> Any:
        """What the node around it gives: by a link, by its widget, else what is inside."""
        assert self.node
        assert self.outer
        shown = self.node["properties"].get("proxyWidgets", ())
        values = self.node.get("widgets_values") or ()
        given = {widget: value for (_, widget, *_), value in zip(shown, values, strict=False)}
        return self.outer.value(self.node, name, given.get(name, own), fast)


@cache
def settings(template: str, model: str, fast: bool = False) -> dict[str, Any]:
    """The settings that `template` samples `model` with, as far as it says them.

    `fast`: with the LoRA for few steps that a switch of the template turns on.
    """
    place = folder()
    assert place
    workflow = json.loads((place / f"{template}.json").read_text(encoding="utf-8"))
    parts = workflow.get("definitions", {}).get("subgraphs", ())
    graphs = _Graph(workflow).inner({one["id"]: one for one in parts})
    graph = next(one for one in graphs if model in _loaded(one.content))
    found: dict[str, Any] = {}
    for node in graph.content["nodes"]:
        for name, place_of in _PLACES.get(node["type"], {}).items():
            own = (node.get("widgets_values") or ())[place_of]
            found[name] = graph.value(node, _INPUTS.get(name, name), own, fast)
    return found


def _loaded(content: dict[str, Any]) -> list[str]:
    return [
        node["widgets_values"][0].removesuffix(".safetensors")
        for node in content["nodes"]
        if node["type"] in LOADERS
    ]
