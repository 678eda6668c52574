"""The graph of one job, in ComfyUI's API form: our nodes and ComfyUI's own sampler."""

from __future__ import annotations

from typing import Any

from .job import Task

CHECK_IN, SAVE = "check-in", "save"
"""Ids of the nodes whose output is read."""
FULL = "none"

Graph = dict[str, dict[str, Any]]


def graph_of(task: Task, name: str) -> Graph:
    """Repo Check-in with the models of the decision, TAQ, and a sampler as is recommended.

    `name`: what the picture's file begins with. With another one for each run, ComfyUI writes a
    picture that it has drawn before again.
    """
    settings = "settings"
    graph: Graph = {
        CHECK_IN: _node(
            "PersonalQCheckIn",
            request=task.request,
            repository="all models",
            base_model="any",
            reasoner="offline",
            chosen=task.chosen,
        ),
        settings: _node("PersonalQSettings", selection=[CHECK_IN, 5]),
        "clip": _node("CLIPTextEncode", clip=[CHECK_IN, 1], text=[settings, 7]),
        "latent": _node(
            "EmptyLatentImage",
            width=task.width or [settings, 0],
            height=task.height or [settings, 1],
            batch_size=1,
        ),
        "sample": _node(
            "KSampler",
            model=["taq" if task.preset != FULL else CHECK_IN, 0],
            positive=[CHECK_IN, 3],
            negative=["clip", 0],
            latent_image=["latent", 0],
            seed=task.seed,
            steps=[settings, 2],
            cfg=[settings, 3],
            sampler_name=[settings, 4],
            scheduler=[settings, 5],
            denoise=1.0,
        ),
        "decode": _node("VAEDecode", samples=["sample", 0], vae=[CHECK_IN, 2]),
        SAVE: _node("SaveImage", images=["decode", 0], filename_prefix=name),
    }
    if task.preset != FULL:
        graph["taq"] = _node(
            "PersonalQTAQ",
            model=[CHECK_IN, 0],
            preset=task.preset,
            protect="trigger + BOS",
            quantizer="uniform",
        )
    return graph


def _node(class_type: str, **inputs: Any) -> dict[str, Any]:
    return {"class_type": class_type, "inputs": inputs}
