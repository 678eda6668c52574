"""What the names and shapes of a file's tensors say: checkpoint or LoRA, and of which base model."""

from __future__ import annotations

from collections.abc import Mapping

from .model_file import Fields, ModelFile, Report

LORA_ENDINGS = (
    ".lora_down.weight", ".lora_up.weight", ".lora_A.weight", ".lora_B.weight", ".lora.down.weight", ".lora.up.weight",
    ".hada_w1_a", ".lokr_w1", ".lokr_w1_a", ".oft_blocks", ".dora_scale",
)  # fmt: skip
UNET_STARTS = ("model.diffusion_model.", "diffusion_model.", "unet.down_blocks.", "down_blocks.", "input_blocks.")
TRANSFORMER_STARTS = ("double_blocks.", "joint_blocks.", "transformer_blocks.")
CONTEXT_WIDTHS = {768: "sd15", 1024: "sd2", 2048: "sdxl"}
"""Width of the text that the UNet's cross-attention reads. Each family has its own text encoder."""


def read(model: ModelFile, report: Report) -> Fields:
    """`kind` and `base_model` where the tensors show them; nothing for a VAE, a ControlNet or a text encoder."""
    shapes = model.header.shapes
    if any(name.endswith(LORA_ENDINGS) for name in shapes):
        return {"kind": "lora", "base_model": _base_model(shapes)}
    if any(name.startswith(UNET_STARTS + TRANSFORMER_STARTS) for name in shapes) and not _is_control_net(shapes):
        return {"kind": "checkpoint", "base_model": _base_model(shapes)}
    return {}


def _base_model(shapes: Mapping[str, tuple[int, ...]]) -> str | None:
    for name, shape in shapes.items():
        if "attn2" in name and "to_k" in name and _reads_the_text(name) and len(shape) > 1:
            return CONTEXT_WIDTHS.get(shape[1])
    names = " ".join(shapes)
    if "double_stream_modulation" in names:
        return "flux2"
    if "double_blocks" in names:
        return "flux1"
    if "joint_blocks" in names:
        return "sd3"
    if "conditioner.embedders.1." in names or "lora_te2_" in names or "label_emb" in names:
        return "sdxl"
    if "cond_stage_model.model." in names:
        return "sd2"
    if "cond_stage_model.transformer." in names:
        return "sd15"
    return None


def _reads_the_text(name: str) -> bool:
    """Whether the second size of this tensor is the width of the layer's input."""
    return name.endswith(("to_k.weight", ".lora_down.weight", ".lora_A.weight", ".lora.down.weight", ".hada_w1_b"))


def _is_control_net(shapes: Mapping[str, tuple[int, ...]]) -> bool:
    starts = ("control_model.", "controlnet_", "input_hint_block.", "zero_convs.", "lora_controlnet")
    return any(name.startswith(starts) for name in shapes)
