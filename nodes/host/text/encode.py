"""A prompt with its trigger and end marked: the host's CONDITIONING and the row mask on it."""

from __future__ import annotations

import torch

from ....taq_kernels.attention.protected_tokens import EOS, TRIGGER
from .token_mask import attach
from .trigger_tokens import end_rows, trigger_rows


def encode(clip, text: str, trigger: str | None) -> tuple[list, torch.Tensor]:
    """(CONDITIONING of `text` carrying the marks of its rows, the rows of `trigger` as float
    [T]).
    """
    rows = trigger_rows(clip, text, trigger)
    marks = torch.where(end_rows(clip, text)[: len(rows)], EOS, rows * TRIGGER)
    return attach(clip.encode_from_tokens_scheduled(clip.tokenize(text)), marks), rows


def describe_rows(rows: torch.Tensor) -> str:
    """The marked rows for a person: "rows 4-9"."""
    marked = torch.nonzero(rows).flatten().tolist()
    starts = [row for row in marked if row - 1 not in marked]
    ends = [row for row in marked if row + 1 not in marked]
    spans = [
        f"{start}-{end}" if end > start else str(start)
        for start, end in zip(starts, ends, strict=True)
    ]
    return f"row{'s' if len(marked) != 1 else ''} {', '.join(spans)}" if spans else "no row"
