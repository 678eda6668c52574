"""The declaration of a model family."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

FULL_PRECISION_GROUP = "in/out/time (kept)"
KV_GROUP = "cross-attention k/v"
TEXT_GROUP = "text before cross-attention"
NORMS_GROUP = "norms and biases"
OTHER_GROUP = "other"

CLIP_TOKENS = 77
"""Tokens that CLIP encodes at once: BOS, up to 75 tokens of the text, EOS, and padding."""


@dataclass(frozen=True)
class LayerNames:
    """The layers of an architecture, described by their names in every naming that files use."""

    cross_attention: str
    """Last part of the names of the modules that attend to the text."""
    groups: tuple[tuple[str, str], ...]
    """(pattern of a layer's name, its group); the first pattern that matches applies. The
    projections of the text to keys and to values are the KV_GROUP, and the layers that make the
    text that these read are the TEXT_GROUP.
    """
    blocks: str
    """Pattern that matches the residual or transformer block in a layer's name."""

    def group(self, layer: str) -> str | None:
        """The group of the layer of this name; None for a name of another architecture."""
        return next((group for pattern, group in self.groups if re.search(pattern, layer)), None)


@dataclass(frozen=True)
class ModelFamily:
    """Models of one architecture and size."""

    name: str
    """Its name in messages."""
    host_config: str
    """Name of the host's configuration class; its subclasses belong to the family."""
    layers: LayerNames
    context_width: int
    """Features of each token of the encoded text."""
    picture_size: int
    """Side, in pixels, of the pictures that it is made for."""
    tokenizers: Mapping[str, str]
    """Name of a text encoder in the host's tokens -> attribute of the host's tokenizer."""
    context_length: int = CLIP_TOKENS
    """Number of tokens of a text of ordinary length, without padding that is not stored."""
    aligned: tuple[str, ...] = ()
    """The text encoders whose tokens are those of the text, one for one; empty = all."""
    padded: bool = False
    """Whether texts have no BOS, and end in padding whose tokens are all equal
    (`attention.real_tokens`).
    """
    derivatives: tuple[str, ...] = ()
    """Names of models that belong to the family but have their own name."""
