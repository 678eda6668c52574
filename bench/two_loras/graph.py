"""The graph of a picture with two LoRAs, in ComfyUI's API form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ...checkin.catalog.pinned import PinnedModel, PinnedModels
from ...checkin.catalog.reference import Reference
from ...demo.catalogue import SIDE, DemoModel
from ...demo.host_process import Graph
from ...demo.request_graph import CHECK_IN, request_graph
from .pairs import Pair

Way = Literal["places", "whole"]
"""How Repo Check-in uses the two LoRAs: each in its own part of the picture, or both on all of it.
"""
Preset = Literal["W8A8", "W4A8"] | None


def picture_graph(pair: Pair, way: Way, preset: Preset, steps: int) -> Graph:
    """Return a graph that draws the pair at 256 x 128 pixels; `preset` None: full precision.

    The LoRAs are chosen by hand, so that every picture has the two that are measured.
    """
    graph = request_graph(pair.request, preset=preset, seed=pair.seed, side=SIDE, steps=steps)
    graph["latent"]["inputs"]["width"] = 2 * SIDE
    chosen = PinnedModels(tuple(map(_pinned, pair.models)))
    graph[CHECK_IN]["inputs"] |= {
        "chosen": chosen.to_text(),
        "each_in_its_place": way == "places",
    }
    return graph


def whole_graph(
    loras: Sequence[DemoModel], request: str, strengths: Sequence[float], seed: int, steps: int
) -> Graph:
    """Return a graph that draws a square with all of the LoRAs on it, in full precision.

    Each has its strength: one that is chosen by hand is not scaled.
    """
    graph = request_graph(request, preset=None, seed=seed, side=SIDE, steps=steps)
    chosen = PinnedModels(tuple(map(_pinned, loras, strengths)))
    graph[CHECK_IN]["inputs"] |= {"chosen": chosen.to_text(), "each_in_its_place": False}
    return graph


def _pinned(lora: DemoModel, strength: float | None = None) -> PinnedModel:
    name = lora.path.rpartition("/")[2].removesuffix(".safetensors")
    return PinnedModel(Reference(name=name, trigger=lora.trigger), strength)
