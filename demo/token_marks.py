"""Mark tokens of an encoded prompt: the trigger's, the end token and the padding after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..taq_kernels.attention.protected_tokens import EOS, TRIGGER


def row_marks(tokenizer: Any, prompts: Sequence[str], trigger: str, rows: int = 77) -> Tensor:
    """Return the marks [n, rows] of all tokens.

    TRIGGER is at every token that covers a part of a mention of `trigger`, EOS at the end token and
    all after it; all others are 0. An empty trigger occurs nowhere.

    Mentions are found in the text, and their tokens by offsets: the tokens of `<bear-v4>` depend on
    what follows.
    """
    encoded = tokenizer(
        list(prompts),
        padding="max_length",
        truncation=True,
        max_length=rows,
        return_offsets_mapping=True,
    )
    marks = torch.zeros(len(prompts), rows)
    for entry, (prompt, numbers, offsets) in enumerate(
        zip(prompts, encoded["input_ids"], encoded["offset_mapping"], strict=True)
    ):
        marks[entry, numbers.index(tokenizer.eos_token_id) :] = EOS
        for start, end in mentions(prompt, trigger):
            for row, (first, after) in enumerate(offsets):
                if first < end and after > start and marks[entry, row] != EOS:
                    marks[entry, row] = TRIGGER
    return marks


def mentions(text: str, trigger: str) -> list[tuple[int, int]]:
    """Return start and end of every mention, as whole words, in upper or lower case."""
    if not trigger:
        return []
    pattern = rf"(?<!\w){re.escape(trigger)}(?!\w)"
    return [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]
