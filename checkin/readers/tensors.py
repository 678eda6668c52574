"""Checkpoint or LoRA, and of which base model, by the names and shapes of a file's tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .model_file import Fields, ModelFile, Report
from .reader import Reader

LORA_ENDINGS = (
    ".lora_down.weight", ".lora_up.weight", ".lora_A.weight", ".lora_B.weight", ".lora.down.weight",
    ".lora.up.weight",
    ".hada_w1_a", ".lokr_w1", ".lokr_w1_a", ".oft_blocks", ".dora_scale",
)  # fmt: skip
UNET_STARTS = (
    "model.diffusion_model.",
    "diffusion_model.",
    "unet.down_blocks.",
    "down_blocks.",
    "input_blocks.",
)
TRANSFORMER_STARTS = ("double_blocks.", "joint_blocks.", "transformer_blocks.")
CONTEXT_WIDTHS = {768: "sd15", 1024: "sd2", 2048: "sdxl"}
"""The width of the text embeddings that the UNet's cross-attention reads -> base model.

Each family has its own text encoder.
"""
FLUX_WIDTHS = {3072: "flux1", 4096: "flux2-klein-9b", 6144: "flux2"}
WAN_WIDTHS = {1536: "wan21-1.3b", 3072: "wan22-5b", 5120: "wan"}
LUMINA_WIDTHS = {2304: "lumina", 3840: "z-image"}
_UNET = re.compile(r"(?:down|up|mid|input|output|middle)_blocks?[._]")
_FLUX = re.compile(
    r"double_blocks[._]\d+[._]img_attn[._]qkv|transformer_blocks[._]\d+[._]attn[._]to_q\b|attn_to_q\."
)
_WAN = re.compile(r"blocks[._]\d+[._](?:self|cross)_attn[._]q\b")
_LUMINA = re.compile(r"layers[._]\d+[._]attention[._](?:qkv|to_q)\b")


def read(model: ModelFile, report: Report) -> Fields:
    """`kind` and `base_model`, if the tensors show them.

    Nothing for a VAE, a ControlNet or a text encoder.
    """
    shapes = model.header.shapes
    if any(name.endswith(LORA_ENDINGS) for name in shapes):
        return {"kind": "lora", "base_model": _base_model(shapes)}
    if any(
        name.startswith(UNET_STARTS + TRANSFORMER_STARTS) for name in shapes
    ) and not _is_control_net(shapes):
        return {"kind": "checkpoint", "base_model": _base_model(shapes)}
    return {}


def _base_model(shapes: Mapping[str, tuple[int, ...]]) -> str | None:
    for name, shape in shapes.items():
        if (
            "attn2" in name
            and "to_k" in name
            and _UNET.search(name)
            and _reads_its_input(name)
            and len(shape) > 1
        ):
            return CONTEXT_WIDTHS.get(shape[1])
    names = " ".join(shapes)
    if (
        "double_stream_modulation" in names
        or "double_blocks" in names
        or "single_transformer_blocks" in names
    ):
        return _flux(shapes, names)
    if "joint_blocks" in names:
        return "sd3"
    if "conditioner.embedders.1." in names or "lora_te2_" in names or "label_emb" in names:
        return "sdxl"
    if "cond_stage_model.model." in names:
        return "sd2"
    if "cond_stage_model.transformer." in names:
        return "sd15"
    if "txt_mlp" in names and "transformer_blocks" in names:
        return "qwen-image"
    return _by_width(shapes, _WAN, WAN_WIDTHS) or _by_width(shapes, _LUMINA, LUMINA_WIDTHS)


def _flux(shapes: Mapping[str, tuple[int, ...]], names: str) -> str | None:
    """The kind of Flux, by width.

    Flux.1, Chroma, Klein 4B and Hunyuan Video have the same width; the names of their tensors and
    their depth tell them apart.
    """
    if "distilled_guidance_layer" in names:
        return "chroma"
    known = _by_width(shapes, _FLUX, FLUX_WIDTHS)
    if known != "flux1":
        return known or ("flux2" if "double_stream_modulation" in names else "flux1")
    deepest = max(
        (int(number) for number in re.findall(r"double_blocks[._](\d{1,3})", names)), default=0
    )
    if "individual_token_refiner" in names or deepest > 18:
        return "hunyuan-video"
    single = max(
        (int(number) for number in re.findall(r"single_blocks[._](\d{1,3})", names)), default=0
    )
    return (
        "flux2-klein-4b"
        if "double_stream_modulation" in names or (deepest == 4 and single == 19)
        else "flux1"
    )


def _by_width(
    shapes: Mapping[str, tuple[int, ...]], layer: re.Pattern[str], widths: Mapping[int, str]
) -> str | None:
    for name, shape in shapes.items():
        if layer.search(name) and _reads_its_input(name) and len(shape) > 1:
            return widths.get(shape[1])
    return None


def _reads_its_input(name: str) -> bool:
    """Whether the second size of this tensor is the width of the layer's input."""
    lora = (".lora_down.weight", ".lora_A.weight", ".lora.down.weight", ".hada_w1_b")
    return name.endswith(lora) or (name.endswith(".weight") and "lora" not in name)


def _is_control_net(shapes: Mapping[str, tuple[int, ...]]) -> bool:
    starts = (
        "control_model.",
        "controlnet_",
        "input_hint_block.",
        "zero_convs.",
        "lora_controlnet",
    )
    return any(name.startswith(starts) for name in shapes)


READERS = (Reader("tensors", "safetensors", read, {"kind": 10, "base_model": 50}),)
