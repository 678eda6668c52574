"""A text without its padding: the equal tokens at its end become one token.

Some text encoders have no BOS and pad to a fixed length with tokens that are all equal. Attention
over many equal keys is attention over one of them whose logit is larger by the logarithm of their
number, so that one stands for all, exactly. It comes first, because it is what BOS is elsewhere: a
token of every text, whatever the text says, on which attention rests.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class RealTokens(NamedTuple):
    """The tokens of B texts: the one for the padding first, then all others in order."""

    context: Tensor
    """[B, T', C]. A text with fewer tokens than others is filled up with tokens that count 0."""
    counts: Tensor
    """int64 [B, T']: how many tokens of the text each stands for."""
    places: Tensor
    """int64 [B, T]: the place here of each token of the text."""
    source: Tensor
    """int64 [B, T']: the place in the text of each token here."""

    def of(self, marks: Tensor) -> Tensor:
        """Marks [B, T] of the text's tokens as marks [B, T'] of these."""
        return marks.gather(1, self.source).masked_fill(self.counts == 0, 0)


def real_tokens(context: Tensor) -> RealTokens:
    """The tokens of the texts `context` [B, T, C], without their padding."""
    length = context.shape[1]
    padding = (context == context[:, -1:]).all(-1).flip(1).long().cumprod(1).sum(1, keepdim=True)
    before = length - padding
    here = torch.arange(int(before.max()) + 1, device=context.device)[None]
    is_padding = here == 0
    real = (here <= before) & ~is_padding
    source = torch.where(real, here - 1, length - 1)
    counts = torch.where(is_padding, padding, real.long())
    original = torch.arange(length, device=context.device)[None]
    places = torch.where(original < before, original + 1, 0)
    tokens = context.gather(1, source[..., None].expand(-1, -1, context.shape[2]))
    return RealTokens(tokens, counts, places, source)
