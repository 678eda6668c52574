"""Encodes a prompt into the host's CONDITIONING, with a token mask for trigger and end tokens."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from ....checkin.lexicon.sentences import say, say_number
from ....taq_kernels.attention.protected_tokens import EOS, TRIGGER
from ....taq_kernels.families import aligned_tokenizers
from .token_mask import attach
from .trigger_tokens import end_mask, trigger_mask


def encode(
    clip, text: str, trigger: str | None, further: Iterable[str | None] = ()
) -> tuple[list, torch.Tensor]:
    """(CONDITIONING of `text` with its token mask, mask of the triggers as float [T]).

    `further` are the triggers of models that are used together with the first. Only tokens of CLIP
    and of the encoders of TAQ's families are marked: for any other model the mask is empty.
    """
    tokens = clip.tokenize(text)
    aligned = aligned_tokenizers(tokens)
    if not all(hasattr(clip.tokenizer, attribute) for attribute in aligned.values()):
        return clip.encode_from_tokens_scheduled(tokens), torch.zeros(0)
    mask = trigger_mask(clip, text, trigger)
    for other in filter(None, further):
        mask = torch.maximum(mask, trigger_mask(clip, text, other))
    marks = torch.where(end_mask(clip, text)[: len(mask)], EOS, mask * TRIGGER)
    return attach(clip.encode_from_tokens_scheduled(tokens), marks), mask


def describe_positions(trigger: str | None, mask: torch.Tensor) -> str:
    """A sentence on which tokens of a prompt a trigger is, those that a mask [T] marks."""
    if not len(mask):
        return say("{trigger} is part of the prompt.", trigger=trigger)
    marked = torch.nonzero(mask).flatten().tolist()
    starts = [position for position in marked if position - 1 not in marked]
    ends = [position for position in marked if position + 1 not in marked]
    spans = [
        f"{start}-{end}" if end > start else str(start)
        for start, end in zip(starts, ends, strict=True)
    ]
    if not spans:
        return say("{trigger} is no token of the prompt.", trigger=trigger)
    return say_number(
        len(marked),
        "{trigger} is token {tokens} of the prompt.",
        "{trigger} is tokens {tokens} of the prompt.",
        trigger=trigger,
        tokens=", ".join(spans),
    )
