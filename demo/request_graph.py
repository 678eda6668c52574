"""The graph from a request to a picture, in ComfyUI's API form."""

from __future__ import annotations

from typing import Any, Literal

from .catalogue import GUIDANCE
from .host_process import Graph

CHECK_IN, TAQ = "check-in", "taq"
"""Ids of the nodes whose `personalq` output says what they did."""


def request_graph(
    request: str,
    *,
    answer: str = "",
    when_unsure: Literal["ask", "best match", "stop"] = "ask",
    preset: Literal["W8A8", "W4A8"] | None = "W8A8",
    seed: int = 1,
    side: int = 128,
    steps: int = 20,
) -> Graph:
    """Return a graph of Check-in, TAQ (left out when `preset` is None) and ComfyUI's own sampler.

    `side` is in pixels.
    """
    graph: Graph = {
        "clarify": _node("PersonalQClarify", answer=answer, when_unsure=when_unsure),
        CHECK_IN: _node(
            "PersonalQCheckIn",
            request=request,
            repository="all models",
            base_model="any",
            reasoner="offline",
            clarifier=["clarify", 0],
        ),
        "negative": _node("CLIPTextEncode", clip=[CHECK_IN, 1], text=""),
        "latent": _node("EmptyLatentImage", width=side, height=side, batch_size=1),
        "sample": sampler([TAQ if preset else CHECK_IN, 0], [CHECK_IN, 3], seed=seed, steps=steps),
        "decode": _node("VAEDecode", samples=["sample", 0], vae=[CHECK_IN, 2]),
        "save": _node("SaveImage", images=["decode", 0], filename_prefix="personalq"),
    }
    if preset:
        graph[TAQ] = _node(
            "PersonalQTAQ",
            model=[CHECK_IN, 0],
            preset=preset,
            protect="trigger + BOS",
            quantizer="uniform",
        )
    return graph


def checkpoint_graph(
    checkpoint: str, *, preset: Literal["W8A8", "W4A8"] | None, seed: int, side: int, steps: int
) -> Graph:
    """Return a graph that loads one checkpoint and draws a picture, with or without TAQ.

    The loader is ComfyUI's own. `side` is in pixels.
    """
    graph: Graph = {
        "load": _node("CheckpointLoaderSimple", ckpt_name=checkpoint),
        "positive": _node("CLIPTextEncode", clip=["load", 1], text="a bear on forest grass"),
        "negative": _node("CLIPTextEncode", clip=["load", 1], text=""),
        "latent": _node("EmptyLatentImage", width=side, height=side, batch_size=1),
        "sample": sampler([TAQ if preset else "load", 0], ["positive", 0], seed=seed, steps=steps),
        "decode": _node("VAEDecode", samples=["sample", 0], vae=["load", 2]),
        "save": _node("SaveImage", images=["decode", 0], filename_prefix="personalq"),
    }
    if preset:
        graph[TAQ] = _node(
            "PersonalQTAQ",
            model=["load", 0],
            preset=preset,
            protect="trigger + BOS",
            quantizer="uniform",
        )
    return graph


def sampler(model: list[Any], positive: list[Any], *, seed: int, steps: int) -> dict[str, Any]:
    """Return a KSampler node that uses the graph's "negative" and "latent" nodes."""
    return _node(
        "KSampler",
        model=model,
        positive=positive,
        negative=["negative", 0],
        latent_image=["latent", 0],
        seed=seed,
        steps=steps,
        cfg=GUIDANCE,
        sampler_name="euler",
        scheduler="normal",
        denoise=1.0,
    )


def _node(class_type: str, **inputs: Any) -> dict[str, Any]:
    return {"class_type": class_type, "inputs": inputs}
