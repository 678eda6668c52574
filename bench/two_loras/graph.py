"""The graph of a picture with two LoRAs, in ComfyUI's API form."""

from __future__ import annotations

from typing import Any, Literal

from ...demo.catalogue import BASE_PATH, SIDE, DemoModel
from ...demo.host_process import Graph
from ...demo.request_graph import TAQ, sampler
from .pairs import Pair

Way = Literal["halves", "model", "prompt"]
"""How the two LoRAs are used.

halves: each LoRA belongs to the prompt of its half (ComfyUI's hooks). model: both LoRAs are on the
model, and each half has a prompt. prompt: both are on the model, and one prompt names both.
"""
Preset = Literal["W8A8", "W4A8"] | None


def picture_graph(pair: Pair, way: Way, preset: Preset, strength: float, steps: int) -> Graph:
    """Return a graph that draws the pair at 256 x 128 pixels; `preset` None: full precision."""
    graph: Graph = {
        "load": _node("CheckpointLoaderSimple", ckpt_name=BASE_PATH.partition("/")[2]),
        "latent": _node("EmptyLatentImage", width=2 * SIDE, height=SIDE, batch_size=1),
    }
    model: list[Any] = ["load", 0]
    if way != "halves":
        for number, lora in enumerate(pair.models):
            graph[f"lora {number}"] = _node(
                "LoraLoaderModelOnly", model=model, lora_name=_file(lora), strength_model=strength
            )
            model = [f"lora {number}", 0]
    if preset:
        graph[TAQ] = _node(
            "PersonalQTAQ", model=model, preset=preset, protect="all", quantizer="uniform"
        )
        model = [TAQ, 0]
    if way == "prompt":
        graph["positive"] = _text(pair.whole_prompt)
        graph["negative"] = _text("")
    else:
        for name, texts in (("positive", pair.prompts), ("negative", ("", ""))):
            graph |= _by_half(name, pair, texts, strength if way == "halves" else None)
    graph["sample"] = sampler(model, ["positive", 0], seed=pair.seed, steps=steps)
    graph["decode"] = _node("VAEDecode", samples=["sample", 0], vae=["load", 2])
    graph["save"] = _node("SaveImage", images=["decode", 0], filename_prefix="two_loras")
    return graph


def _by_half(name: str, pair: Pair, texts: tuple[str, str], strength: float | None) -> Graph:
    """Nodes that end in `name`: a text for each half, with its LoRA unless `strength` is None."""
    graph: Graph = {}
    for number, text in enumerate(texts):
        half = f"{name} {number}"
        graph[f"{half} text"] = _text(text)
        said: list[Any] = [f"{half} text", 0]
        if strength is not None:
            graph[f"hook {number}"] = _node(
                "CreateHookLoraModelOnly",
                lora_name=_file(pair.models[number]),
                strength_model=strength,
            )
            graph[f"{half} hooked"] = _node(
                "ConditioningSetProperties",
                cond_NEW=said,
                strength=1.0,
                set_cond_area="default",
                hooks=[f"hook {number}", 0],
            )
            said = [f"{half} hooked", 0]
        graph[half] = _node(
            "ConditioningSetArea",
            conditioning=said,
            width=SIDE,
            height=SIDE,
            x=number * SIDE,
            y=0,
            strength=1.0,
        )
    graph[name] = _node(
        "ConditioningCombine", conditioning_1=[f"{name} 0", 0], conditioning_2=[f"{name} 1", 0]
    )
    return graph


def _file(lora: DemoModel) -> str:
    return lora.path.removeprefix("loras/")


def _text(text: str) -> dict[str, Any]:
    return _node("CLIPTextEncode", clip=["load", 1], text=text)


def _node(class_type: str, **inputs: Any) -> dict[str, Any]:
    return {"class_type": class_type, "inputs": inputs}
