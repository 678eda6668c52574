"""Key or value rows as they are kept for a prompt: protected rows as they are, all others in 8 or 4 bits."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .nibbles import pack_nibbles, unpack_nibbles
from .quantizers import Codes, dequantize_rows, quantize_rows


@dataclass(frozen=True)
class StoredRows:
    """Rows [B, T, C]: the unprotected ones, in order, as codes with a scale and zero point each; the protected ones
    whole.
    """

    protected: Tensor
    """bool [B, T]; True = the row is kept in its own dtype."""
    kept: Tensor
    """[number of protected rows, C] in the rows' own dtype."""
    codes: Codes | None
    """Of the other rows; q is [rows, C] uint8, or [rows, C/2] with two codes a byte at 4 bits. None = all rows are
    kept.
    """
    bits: int | None

    @classmethod
    def store(cls, x: Tensor, protected: Tensor | None, bits: int | None) -> StoredRows:
        """Store `x` [B, T, C] with `protected` bool [B, T] (None = no row) at `bits` 2..8 (None = keep every row).

        Up to 4 bits, two codes share a byte; above, one byte a code. Raises ValueError for shapes that do not fit.
        """
        protected = row_mask(x, protected)
        if bits is None:
            return cls(torch.ones_like(protected), x.reshape(-1, x.shape[-1]), None, None)
        codes = quantize_rows(x[~protected], bits)
        if bits <= 4:
            codes = codes._replace(q=pack_nibbles(codes.q))
        return cls(protected, x[protected], codes, bits)

    def dequantize(self) -> Tensor:
        """[B, T, C] in the rows' own dtype."""
        rows = self.kept.new_empty(*self.protected.shape, self.kept.shape[-1])
        rows[self.protected] = self.kept
        if self.codes is not None and self.bits is not None:
            codes = self.codes
            if self.bits <= 4:
                codes = codes._replace(q=unpack_nibbles(codes.q, rows.shape[-1]))
            rows[~self.protected] = dequantize_rows(codes, rows.dtype)
        return rows

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors held: codes, scales, zero points, protected rows and the mask."""
        return sum(tensor.nbytes for tensor in (self.protected, self.kept, *(self.codes or ())))


def row_mask(x: Tensor, protected: Tensor | None) -> Tensor:
    """`protected` checked against rows `x` [B, T, C]; None = no row is protected. Raises ValueError."""
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
