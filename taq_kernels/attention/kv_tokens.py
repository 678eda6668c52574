"""Key or value rows as they are kept for a prompt: protected rows as they are, all others in 8 or 4
bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..backends.eager.nibbles import pack_nibbles, unpack_nibbles
from ..quantizers import uniform
from ..quantizers.quantizer import Codes


@dataclass(frozen=True)
class StoredRows:
    """Rows [D, T, C] of D prompts in two groups: codes with a scale and zero point a row, and whole
    rows.

    Each group keeps the order of the text. A prompt with fewer rows in a group than another is
    filled up with empty ones, so that a kernel can read both groups without an index.
    """

    protected: Tensor
    """bool [D, T]; True = the row is kept in its own dtype."""
    kept: Tensor
    """[D, most protected rows, C] in the rows' own dtype."""
    codes: Codes | None
    """Of the other rows: q uint8 [D, most other rows, C], or C/2 with two codes a byte up to 4
    bits. None = all rows are kept.
    """
    bits: int | None

    @classmethod
    def store(
        cls, x: Tensor, protected: Tensor | None, bits: int | None, per_tensor: bool = False
    ) -> StoredRows:
        """Store `x` [D, T, C] with `protected` bool [D, T] (None = no row) at `bits` 2..8 (None =
        keep every row).

        Up to 4 bits, two codes share a byte; above, one byte a code. `per_tensor`: the unprotected
        rows of a prompt share one scale. Raises ValueError for shapes that do not fit.
        """
        protected = row_mask(x, protected)
        if bits is None:
            return cls(torch.ones_like(protected), x, None, None)
        rows = _grouped(x, ~protected)
        codes = _one_scale(rows, bits) if per_tensor else uniform.QUANTIZER.quantize(rows, bits)
        if bits <= 4:
            codes = codes._replace(q=pack_nibbles(codes.q))
        return cls(protected, _grouped(x, protected), codes, bits)

    def dequantize(self) -> Tensor:
        """[D, T, C] in the rows' own dtype."""
        if self.codes is None or self.bits is None:
            return self.kept
        codes, width = self.codes, self.kept.shape[-1]
        if self.bits <= 4:
            codes = codes._replace(q=unpack_nibbles(codes.q, width))
        groups = torch.cat((uniform.QUANTIZER.dequantize(codes, self.kept.dtype), self.kept), dim=1)
        place = (~self.protected).cumsum(1) - 1
        place_kept = codes.q.shape[1] + self.protected.cumsum(1) - 1
        index = torch.where(self.protected, place_kept, place)
        return groups.gather(1, index[..., None].expand(-1, -1, width))

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors held: codes, scales, zero points, protected rows and the mask."""
        return sum(tensor.nbytes for tensor in (self.protected, self.kept, *(self.codes or ())))


def row_mask(x: Tensor, protected: Tensor | None) -> Tensor:
    """`protected` checked against rows `x` [B, T, C]; None = no row is protected.

    Raises ValueError.
    """
    if x.dim() != 3:
        raise ValueError(f"rows must be [B, T, C]; got shape {tuple(x.shape)}")
    if protected is None:
        return torch.zeros(x.shape[:2], dtype=torch.bool, device=x.device)
    if protected.dtype != torch.bool or protected.shape != x.shape[:2]:
        raise ValueError(
            f"protected must be bool {tuple(x.shape[:2])}, one value for each row; "
            f"got {protected.dtype} {tuple(protected.shape)}"
        )
    return protected


def _grouped(x: Tensor, group: Tensor) -> Tensor:
    """The rows of `x` [D, T, C] in `group` bool [D, T], in order: [D, most rows of one prompt, C],
    the rest zero.
    """
    rows = x.new_zeros(x.shape[0], int(group.sum(1).max()), x.shape[2])
    rows[_real(group, rows.shape[1])] = x[group]
    return rows


def _real(group: Tensor, most: int) -> Tensor:
    """Bool [D, most]: which of the rows of `_grouped` are rows of the prompt and not filled up."""
    return torch.arange(most, device=group.device) < group.sum(1, keepdim=True)


def _one_scale(rows: Tensor, bits: int) -> Codes:
    """Codes of `rows` [D, R, C] with the same scale and zero point in all rows of a prompt."""
    if not rows.shape[1]:
        return uniform.QUANTIZER.quantize(
            rows, bits
        )  # every row is protected: there is none to take a range of
    q, scale, zero = uniform.QUANTIZER.quantize(rows.flatten(1), bits)
    shape = (*rows.shape[:2], 1)
    return Codes(q.view(rows.shape), scale[:, None].expand(shape), zero[:, None].expand(shape))
