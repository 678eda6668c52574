"""Which text rows are protected."""

from __future__ import annotations

import torch
from torch import Tensor

PROTECT = ("trigger + BOS", "trigger", "BOS", "none", "all")


def protected_rows(trigger: Tensor, protect: str = "trigger + BOS", chunk: int = 77) -> Tensor:
    """bool [B, T]: the rows to keep in full precision.

    `trigger` [B, T] marks the rows of the trigger's tokens (bool, or float where anything above 0 counts: hosts cast
    masks to the model's dtype). BOS stands at the start of every `chunk` rows. Raises ValueError.
    """
    if trigger.dim() != 2:
        raise ValueError(f"trigger mask must be [B, T]; got shape {tuple(trigger.shape)}")
    if protect not in PROTECT:
        raise ValueError(f"protect must be one of {', '.join(PROTECT)}; got {protect!r}")
    spans = trigger > 0
    if protect == "all":
        return torch.ones_like(spans)
    rows = spans.clone() if protect.startswith("trigger") else torch.zeros_like(spans)
    if protect.endswith("BOS"):
        rows[:, ::chunk] = True
    return rows
