"""Which text rows are protected."""

from __future__ import annotations

import torch
from torch import Tensor

from ..families import CLIP_TOKENS

TRIGGER, EOS = 1.0, -1.0
"""Marks of the rows of a trigger's tokens, and of the end token, in a row mask; 0 is any other row.
"""

ALL, AS_MEASURED = "all", "as measured"
PROTECT = (ALL, "trigger + BOS", "trigger", "BOS", "EOS", "none", "random rows", AS_MEASURED)
"""What can be protected; the first measures best (bench/RESULTS.md). "random rows" is a control: as
many rows as "trigger + BOS" has, none of which is one of them. "as measured" keeps that number of
rows too, the ones whose quantization each layer feels most (`measured.most_sensitive_rows`).
"""


def protected_rows(
    marks: Tensor, protect: str = ALL, chunk: int = CLIP_TOKENS, draw: int = 0
) -> Tensor:
    """Bool [B, T]: the rows to keep in full precision ("as measured": the rows that set the number
    to keep).

    `marks` [B, T] is TRIGGER at the rows of the trigger's tokens and EOS at end tokens (bool marks
    a trigger; hosts cast masks to the model's dtype). BOS stands at the start of every `chunk`
    rows. `draw` numbers the random rows. Raises ValueError.
    """
    if marks.dim() != 2:
        raise ValueError(f"row marks must be [B, T]; got shape {tuple(marks.shape)}")
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
    """As many rows as are `named` in each entry of bool [B, T], drawn from the others; the same in
    each `draw`.
    """
    order = torch.rand(named.shape[1], generator=torch.Generator().manual_seed(draw)).to(
        named.device
    )
    rank = order.masked_fill(named, torch.inf).argsort(1).argsort(1)
    return (rank < named.sum(1, keepdim=True)) & ~named
