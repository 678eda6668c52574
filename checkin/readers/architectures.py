"""The base model of a checkpoint, diffusion model or LoRA, by its tensors' names and shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping

Shapes = Mapping[str, tuple[int, ...]]
"""Shape of every tensor of a file, by name."""

CONTEXT_WIDTHS = {768: "sd15", 1024: "sd2", 2048: "sdxl"}
"""The width of the text embeddings that the UNet's cross-attention reads -> base model.

Each family has its own text encoder.
"""
FLUX_WIDTHS = {3072: "flux1", 4096: "flux2-klein-9b", 6144: "flux2"}
FLUX_FILL_INPUTS = 384
"""Values of a patch that Flux Fill reads: picture, masked picture and mask."""
SD3_WIDTHS = {2432: "sd35-large"}
QWEN_WIDTHS = {3072: "qwen-image", 1536: "sd3", 2432: "sd35-large"}
"""Transformers whose LoRAs, in the names of diffusers, only tell their width."""
WAN_WIDTHS = {1536: "wan21-1.3b", 3072: "wan22-5b", 5120: "wan"}
COSMOS_WIDTHS = {2048: "anima"}
LUMINA_WIDTHS = {2304: "lumina", 3840: "z-image"}
_UNET = re.compile(r"(?:down|up|mid|input|output|middle)_blocks?[._]")
_FLUX = re.compile(
    r"double_blocks[._]\d+[._]img_attn[._]qkv|transformer_blocks[._]\d+[._]attn[._]to_q\b|attn_to_q\."
)
_SD3 = re.compile(r"joint_blocks[._]\d+[._](?:x|context)_block[._]attn[._]qkv")
_JOINT = re.compile(r"transformer_blocks[._]\d+[._]attn[._](?:to|add)_[qkv](?:_proj)?\b")
_COSMOS = re.compile(r"(?:^|[._])blocks[._]\d+[._](?:self|cross)_attn[._]q_proj\b")
_WAN = re.compile(
    r"(?:^|\.|(?<!transformer)_)blocks[._]\d+[._](?:(?:self|cross)_attn[._]q|attn[12][._]to_q)\b"
)
_LUMINA = re.compile(r"layers[._]\d+[._]attention[._](?:qkv|to_q)\b")
_AURAFLOW = re.compile(r"joint_transformer_blocks|(?:double|single)_layers[._]\d+[._]attn")
"""AuraFlow, which has blocks that are called as those of Flux, too."""
_MARKS = (
    (r"conditioner\.embedders\.1\.|lora_te2_|label_emb", "sdxl"),
    (r"cond_stage_model\.model\.", "sd2"),
    (r"cond_stage_model\.transformer\.", "sd15"),
    (r"(?:double|single)_stream_blocks", "hidream"),
    (r"llm_adapter", "anima"),
    (r"txtfusion|text_fusion|(?:^|[._])blocks[._]\d+[._]attn[._](?:w[qkvo]|to_gate)\b", "krea2"),
    (r"transformer_blocks[._]\d+[._]txt_mlp", "qwen-image"),
)
"""Regular expressions of names that only one base model has, in the order in which they count."""

_DOWN = re.compile(
    r"[._]lora\d?[._](?:A|down)(?:\.default)?(?:\.weight)?$"
    r"|\.lora_linear_layer\.down\.weight$|\.hada_w1_b$"
)
"""The end of the name of a LoRA's tensor that reads its layer's input."""


def base_model_of(shapes: Shapes) -> str | None:
    """The id of the base model, as closely as the tensors tell; None if they do not."""
    for name, shape in shapes.items():
        if (
            "attn2" in name
            and "to_k" in name
            and _UNET.search(name)
            and _reads_its_input(name)
            and len(shape) > 1
        ):
            return CONTEXT_WIDTHS.get(shape[1])
    names = "\n".join(shapes)
    if _AURAFLOW.search(names):
        return "auraflow"
    if any(
        part in names
        for part in ("double_stream_modulation", "double_blocks", "single_transformer_blocks")
    ):
        return _flux(shapes, names)
    if "joint_blocks" in names:
        return _sd3(shapes, names)
    if marked := next((base for mark, base in _MARKS if re.search(mark, names, re.M)), None):
        return marked
    return (
        _by_width(shapes, _COSMOS, COSMOS_WIDTHS)
        or _by_width(shapes, _WAN, WAN_WIDTHS)
        or _by_width(shapes, _LUMINA, LUMINA_WIDTHS)
        or _by_width(shapes, _JOINT, QWEN_WIDTHS)
    )


def _flux(shapes: Shapes, names: str) -> str | None:
    """The kind of Flux, by width.

    Flux.1, Chroma, Klein 4B and Hunyuan Video have the same width; the names of their tensors and
    their depth tell them apart.
    """
    if "distilled_guidance_layer" in names:
        return "chroma-radiance" if "nerf_blocks" in names else "chroma"
    known = _by_width(shapes, _FLUX, FLUX_WIDTHS)
    if known != "flux1":
        return known or ("flux2" if "double_stream_modulation" in names else "flux1")
    deepest = _deepest(r"double_blocks", names)
    if "individual_token_refiner" in names or deepest > 18:
        return "hunyuan-video"
    if "double_stream_modulation" in names or (
        deepest == 4 and _deepest(r"single_blocks", names) == 19
    ):
        return "flux2-klein-4b"
    fill = any(
        name.endswith("img_in.weight") and shape[1:] == (FLUX_FILL_INPUTS,)
        for name, shape in shapes.items()
    )
    return "flux1-fill" if fill else "flux1"


def _sd3(shapes: Shapes, names: str) -> str:
    if re.search(r"x_block[._]attn2", names):
        return "sd35-medium"
    return _by_width(shapes, _SD3, SD3_WIDTHS) or "sd3"


def _deepest(blocks: str, names: str) -> int:
    found = re.findall(rf"{blocks}[._](\d{{1,3}})", names)
    return max(map(int, found), default=0)


def _by_width(shapes: Shapes, layer: re.Pattern[str], widths: Mapping[int, str]) -> str | None:
    for name, shape in shapes.items():
        if layer.search(name) and _reads_its_input(name) and len(shape) > 1:
            return widths.get(shape[1])
    return None


def _reads_its_input(name: str) -> bool:
    """Whether the second size of this tensor is the width of the layer's input."""
    return bool(_DOWN.search(name)) or (name.endswith(".weight") and "lora" not in name)
