"""Whether TAQ can quantize a model, as far as its card and the header of its file tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...catalog.cards import Card
from ...lexicon.base_models import covers, label_of
from ...lexicon.sentences import listed, say
from ...readers.architectures import CONTEXT_WIDTHS
from ...readers.header import Header, UnreadableFile, read_header

TAQ_RUNS = ("sd15", "sdxl", "anima", "wan")
"""The base models, with those trained from them, that TAQ quantizes."""
_WITHIN = "model.diffusion_model."
"""How the layers of the diffusion model begin in a whole checkpoint."""
_QUANTIZED = re.compile(r"(?:^|\.)(?:comfy_quant|scaled_fp8)$")
"""The end of a tensor's name that the host takes for the mark of quantized weights."""
_LAYERS_OF_QUANTIZED = "_quantization_metadata"
"""Where the host reads the same in a header."""
_WAN_VARIANT = re.compile(
    r"vace_patch_embedding|control_adapter|casual_audio_encoder|audio_proj\b|face_adapter"
    r"|patch_embedding_(?:mask|pose|global)"
)
"""How a layer begins by which the host tells a variant of Wan from Wan itself."""
_READS_TEXT = re.compile(r"(?:input|output|middle)_blocks?\..*attn2\.to_k\.weight$")
"""A layer of a UNet that is as wide as the text: another width is another model."""


def reason_against(cards: Sequence[Card]) -> str | None:
    """Why TAQ cannot quantize the checkpoint among `cards`, a LoRA and what it is loaded on.

    None if it can, or if nothing tells.
    """
    family = next((one.base_model for one in cards if one.base_model), None)
    if family and not any(covers(one, family) for one in TAQ_RUNS):
        runs = listed([label_of(one) for one in TAQ_RUNS], "and")
        return say("TAQ runs {families}, not {base}", families=runs, base=label_of(family))
    for one in cards:
        header = _header(one)
        if header and _is_quantized(header):
            return say("{name} is quantized already", name=one.name)
        if header and _is_variant(header):
            return say("TAQ does not run {name}, a model with layers of its own", name=one.name)
    return None


def _header(card: Card) -> Header | None:
    """The header of a checkpoint's file."""
    if card.kind != "checkpoint" or not card.path:
        return None
    try:
        return read_header(Path(card.path))
    except (UnreadableFile, OSError):  # another program's format, or gone since it was indexed
        return None


def _is_quantized(header: Header) -> bool:
    return _LAYERS_OF_QUANTIZED in header.metadata or any(
        map(_QUANTIZED.search, _diffusion_model(header.shapes))
    )


def _is_variant(header: Header) -> bool:
    """Whether the layers are those of a variant of Wan, or of the refiner of SDXL."""
    return any(map(_WAN_VARIANT.match, _diffusion_model(header.shapes))) or any(
        shape[1:] and shape[1] not in CONTEXT_WIDTHS
        for name, shape in header.shapes.items()
        if _READS_TEXT.search(name)
    )


def _diffusion_model(names: Iterable[str]) -> list[str]:
    """The names of the diffusion model's own tensors; in a file without other parts, all."""
    within = [name.removeprefix(_WITHIN) for name in names if name.startswith(_WITHIN)]
    return within or list(names)
