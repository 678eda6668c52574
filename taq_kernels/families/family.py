"""What a model family declares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

FULL_PRECISION_GROUP = "in/out/time (kept)"
KV_GROUP = "cross-attention k/v"
NORMS_GROUP = "norms and biases"
OTHER_GROUP = "other"

CLIP_TOKENS = 77
"""Tokens that CLIP encodes at once: the start (BOS), up to 75 of the text, the end (EOS), padding.
"""


@dataclass(frozen=True)
class LayerNames:
    """What the layers of an architecture are, by their names in every naming that files use."""

    cross_attention: str
    """Last name of the modules that attend to the text."""
    groups: tuple[tuple[str, str], ...]
    """(pattern of a layer's name, its group); the first that matches counts. The projections of the
    text to keys and to values are the KV_GROUP.
    """
    blocks: str
    """Pattern of the part of a layer's name that names its residual or transformer block."""

    def group(self, layer: str) -> str | None:
        """The group of the layer of this name; None for a name of another architecture."""
        return next((group for pattern, group in self.groups if re.search(pattern, layer)), None)


@dataclass(frozen=True)
class ModelFamily:
    """Models of one architecture and size."""

    name: str
    """What people call it."""
    host_config: str
    """Name of the host's configuration class; its subclasses belong to the family."""
    layers: LayerNames
    context_width: int
    """Features of a token of the encoded text."""
    picture_size: int
    """Side of the picture that it is made for, in pixels."""
    tokenizers: Mapping[str, str]
    """Text encoder, as the host's tokens call it -> attribute of the host's tokenizer."""
    context_length: int = CLIP_TOKENS
    """Tokens of a text of ordinary length."""
    derivatives: tuple[str, ...] = ()
    """Models of it that have a name of their own."""
