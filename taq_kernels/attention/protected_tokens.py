"""Which tokens of the text stay in full precision."""

from __future__ import annotations

import torch
from torch import Tensor

from ..families import CLIP_TOKENS
from ..spec import ALL, PROTECT, TRIGGER_AND_BOS

TRIGGER, EOS = 1.0, -1.0
"""Marks of a trigger's tokens, and of end tokens, in a token mask; 0 is any other token."""


def protected_tokens(
    marks: Tensor, protect: str = TRIGGER_AND_BOS, chunk: int = CLIP_TOKENS, draw: int = 0
) -> Tensor:
    """Bool [B, T]: the tokens that stay in full precision.

    For "as measured" only the number of these tokens counts. `marks` [B, T] is TRIGGER at the
    trigger's tokens and EOS at end tokens, in any dtype, because hosts cast masks to the model's
    dtype; a bool mask marks trigger tokens only. A BOS token begins every `chunk` tokens. `draw` is
    the seed for random tokens. Raises ValueError for other shapes and unknown names.
    """
    if marks.dim() != 2:
        raise ValueError(f"token marks must be [B, T]; got shape {tuple(marks.shape)}")
    if protect not in PROTECT:
        raise ValueError(f"protect must be one of {', '.join(PROTECT)}; got {protect!r}")
    if protect == ALL:
        return torch.ones_like(marks, dtype=torch.bool)
    if protect == "EOS":
        return marks < 0
    named = torch.zeros_like(marks, dtype=torch.bool) if protect in ("none", "BOS") else marks > 0
    if protect not in ("none", "trigger"):
        named[:, ::chunk] = True
    return _others(named, draw) if protect == "random rows" else named


def _others(named: Tensor, draw: int) -> Tensor:
    """Random tokens other than `named` bool [B, T], as many as are named in each batch entry.

    The same `draw` always gives the same tokens.
    """
    order = torch.rand(named.shape[1], generator=torch.Generator().manual_seed(draw)).to(
        named.device
    )
    rank = order.masked_fill(named, torch.inf).argsort(1).argsort(1)
    return (rank < named.sum(1, keepdim=True)) & ~named
