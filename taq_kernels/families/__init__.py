"""The model families that can be quantized, and all facts about their layers that other code needs.

Each family is declared in its own file in this folder.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatch
from importlib import import_module

from .family import (
    CLIP_TOKENS,
    FULL_PRECISION_GROUP,
    KV_GROUP,
    NORMS_GROUP,
    OTHER_GROUP,
    TEXT_GROUP,
    ModelFamily,
)

__all__ = [
    "CLIP_TOKENS",
    "FAMILIES",
    "FULL_PRECISION_GROUP",
    "GROUPS",
    "KV_GROUP",
    "NORMS_GROUP",
    "OTHER_GROUP",
    "SUPPORTED",
    "TEXT_GROUP",
    "LayerBits",
    "ModelFamily",
    "aligned_tokenizers",
    "block_name",
    "family_of",
    "family_of_host",
    "full_precision_reason",
    "is_cross_attention",
    "layer_bits",
    "layer_group",
    "parse_layer_bits",
]

_FILES = (
    "sd15",
    "sdxl",
    "anima",
    "wan",
)
"""Files in this folder; each declares one family."""

FAMILIES: tuple[ModelFamily, ...] = tuple(
    import_module(f".{file}", __name__).FAMILY for file in _FILES
)
SUPPORTED = ", ".join(name for family in FAMILIES for name in (family.name, *family.derivatives))
"""Names of all models that can be quantized, for messages."""

_NAMINGS = tuple(dict.fromkeys(family.layers for family in FAMILIES))
_BLOCK = re.compile(f"({'|'.join(naming.blocks for naming in _NAMINGS)})")
GROUPS = (
    *dict.fromkeys(group for naming in _NAMINGS for _, group in naming.groups),
    OTHER_GROUP,
)
"""All layer groups, in the order in which reports show them."""

_REASONS = {
    FULL_PRECISION_GROUP: (
        "few weights, and an error in the first, last or time layers reaches every pixel"
    ),
    KV_GROUP: "keys and values are projected once per prompt from the original weights",
    TEXT_GROUP: "they run once per prompt, and all that is read of it passes through them",
    NORMS_GROUP: "norms are one value per channel",
}


def family_of(shapes: Mapping[str, Sequence[int]]) -> ModelFamily:
    """The family of a UNet, from its layers or their weights: name -> shape [O, ...].

    If no family has the UNet's text width, this is the first family of its architecture. Raises
    ValueError if no layer projects text.
    """
    projections = [name for name in shapes if layer_group(name) == KV_GROUP]
    if not projections:
        called = dict.fromkeys(naming.cross_attention for naming in _NAMINGS)
        raise ValueError(
            f"this module has no text cross-attention (no layer in ...{', ...'.join(called)}); "
            f"supported are {SUPPORTED}"
        )
    layer, width = projections[0].removesuffix(".weight"), shapes[projections[0]][1]
    alike = [family for family in FAMILIES if family.layers.group(layer) == KV_GROUP]
    return next((family for family in alike if family.context_width == width), alike[0])


def family_of_host(config: object) -> ModelFamily | None:
    """The family of a model, from the host's configuration of it; None = it is not supported."""
    classes = [each.__name__ for each in type(config).__mro__]
    return next((family for family in FAMILIES if family.host_config in classes), None)


def is_cross_attention(module: str) -> bool:
    """Whether the module with this name is a cross-attention to the text."""
    named = module.rpartition(".")[2] in {naming.cross_attention for naming in _NAMINGS}
    return named and layer_group(module) != TEXT_GROUP


def aligned_tokenizers(encoders: Collection[str]) -> dict[str, str]:
    """The text encoders among `encoders`, those of one model, whose tokens are those of the text:
    encoder -> attribute of the host's tokenizer.
    """
    family = next((each for each in FAMILIES if set(each.tokenizers) == set(encoders)), None)
    if family is None:
        return {encoder: f"clip_{encoder}" for encoder in encoders}
    return {name: family.tokenizers[name] for name in family.aligned or family.tokenizers}


def block_name(layer: str) -> str:
    """The name of the residual or transformer block that contains `layer`, or `layer` itself if
    there is none.
    """
    found = _BLOCK.match(layer)
    return found[0] if found else layer


def layer_group(name: str) -> str:
    """The group of a module or of its `.weight`, by name; a `.bias` is in "norms and biases"."""
    if name.endswith(".bias"):
        return NORMS_GROUP
    groups = (naming.group(name.removesuffix(".weight")) for naming in _NAMINGS)
    return next(filter(None, groups), OTHER_GROUP)


def full_precision_reason(name: str) -> str | None:
    """Why the layer called `name` stays in full precision, or None if it is quantized."""
    return _REASONS.get(layer_group(name))


LayerBits = Mapping[str, int | None]
"""Pattern of layer names (as in `fnmatch`) -> 8, 4, or None = full precision.

The first pattern that matches a layer applies.
"""


def layer_bits(name: str, bits: int, overrides: LayerBits) -> int | None:
    """Bits of the weight of layer `name` with a preset of `bits`; None = full precision.

    The projections to keys and values of cross-attention, and the layers before them, always stay
    in full precision: otherwise a quantized weight would compute the protected tokens.
    """
    if layer_group(name) in (KV_GROUP, TEXT_GROUP):
        return None
    pattern = next((pattern for pattern in overrides if fnmatch(name, pattern)), None)
    if pattern is not None:
        return overrides[pattern]
    return None if full_precision_reason(name) else bits


def parse_layer_bits(text: str) -> dict[str, int | None]:
    """Read overrides such as `input_blocks.1.*: keep` and `*.ff.*: 8`, one on each line or
    separated by `;`.

    Empty parts are skipped. Raises a ValueError that names an override that it cannot read.
    """
    overrides: dict[str, int | None] = {}
    for part in text.replace(";", "\n").splitlines():
        said = part.strip()
        if not said:
            continue
        pattern, colon, bits = (part.strip() for part in said.rpartition(":"))
        if not colon or not pattern or bits not in ("8", "4", "keep"):
            raise ValueError(
                f"a layer override is `pattern: 8`, `pattern: 4` or `pattern: keep`; got `{said}`"
            )
        overrides[pattern] = None if bits == "keep" else int(bits)
    return overrides
