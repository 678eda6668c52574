"""Stored keys or values of a prompt: protected tokens in full precision, all others in codes of 2
to 8 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..backends.eager.nibbles import pack_nibbles, unpack_nibbles
from ..quantizers import uniform
from ..quantizers.quantizer import Codes


@dataclass(frozen=True)
class StoredTokens:
    """Keys or values [D, T, C] of the T tokens of D prompts, stored in two groups.

    One group holds codes, with a scale and a zero point for each token; the other holds tokens in
    full precision. Tokens stay in the order of the text within a group. Prompts with fewer tokens
    in a group than others are padded, so that a kernel can read both groups without an index.
    """

    protected: Tensor
    """bool [D, T]; True = the token stays in full precision."""
    full: Tensor
    """[D, P, C] in the dtype that was stored; P is the largest number of protected tokens."""
    codes: Codes | None
    """Codes of the unprotected tokens: q uint8 [D, R, C], or up to 4 bits [D, R, ceil(C/2)] with
    two codes in a byte. R is the largest number of unprotected tokens. None = all tokens are in
    full precision.
    """
    bits: int | None
    """Bits of a code, 2 to 8; None = there are no codes."""

    @classmethod
    def store(
        cls, x: Tensor, protected: Tensor | None, bits: int | None, per_tensor: bool = False
    ) -> StoredTokens:
        """Store `x` [D, T, C], quantizing the tokens that are not protected to `bits` 2..8.

        `protected` is bool [D, T]; None = no token. `bits` None = all tokens stay in full
        precision. Up to 4 bits, two codes share a byte. With `per_tensor`, the unprotected tokens
        of a prompt share one scale. Raises ValueError for shapes that do not fit.
        """
        protected = protected_mask(x, protected)
        if bits is None:
            return cls(torch.ones_like(protected), x, None, None)
        others = grouped(x, ~protected)
        codes = _one_scale(others, bits) if per_tensor else uniform.QUANTIZER.quantize(others, bits)
        if bits <= 4:
            codes = codes._replace(q=pack_nibbles(codes.q))
        return cls(protected, grouped(x, protected), codes, bits)

    def dequantize(self) -> Tensor:
        """Keys or values [D, T, C] in the dtype that was stored."""
        if self.codes is None or self.bits is None:
            return self.full
        codes, width = self.codes, self.full.shape[-1]
        if self.bits <= 4:
            codes = codes._replace(q=unpack_nibbles(codes.q, width))
        groups = torch.cat((uniform.QUANTIZER.dequantize(codes, self.full.dtype), self.full), dim=1)
        place_in_codes = (~self.protected).cumsum(1) - 1
        place_in_full = codes.q.shape[1] + self.protected.cumsum(1) - 1
        index = torch.where(self.protected, place_in_full, place_in_codes)
        return groups.gather(1, index[..., None].expand(-1, -1, width))

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors: codes, scales, zero points, protected tokens and the mask."""
        return sum(tensor.nbytes for tensor in (self.protected, self.full, *(self.codes or ())))


def protected_mask(x: Tensor, protected: Tensor | None) -> Tensor:
    """The mask `protected` bool [B, T] for tokens `x` [B, T, C]; None becomes a mask of no tokens.

    Raises ValueError for shapes and dtypes that do not fit.
    """
    if x.dim() != 3:
        raise ValueError(f"tokens must be [B, T, C]; got shape {tuple(x.shape)}")
    if protected is None:
        return torch.zeros(x.shape[:2], dtype=torch.bool, device=x.device)
    if protected.dtype != torch.bool or protected.shape != x.shape[:2]:
        raise ValueError(
            f"protected must be bool {tuple(x.shape[:2])}, one value for each token; "
            f"got {protected.dtype} {tuple(protected.shape)}"
        )
    return protected


def grouped(x: Tensor, group: Tensor) -> Tensor:
    """The tokens of `x` [D, T, C] that `group` bool [D, T] marks, in order: [D, G, C].

    G is the largest number of marked tokens in a prompt; prompts with fewer are padded with zeros.
    """
    count = group.sum(1, keepdim=True)
    tokens = x.new_zeros(x.shape[0], int(count.max()), x.shape[2])
    tokens[torch.arange(tokens.shape[1], device=x.device) < count] = x[group]
    return tokens


def _one_scale(tokens: Tensor, bits: int) -> Codes:
    """Codes of `tokens` [D, R, C] with the same scale and zero point for all tokens of a prompt."""
    if not tokens.shape[1]:  # all tokens are protected, so there is no range to measure
        return uniform.QUANTIZER.quantize(tokens, bits)
    q, scale, zero = uniform.QUANTIZER.quantize(tokens.flatten(1), bits)
    shape = (*tokens.shape[:2], 1)
    return Codes(q.view(tokens.shape), scale[:, None].expand(shape), zero[:, None].expand(shape))
