"""Two 4-bit codes in one byte."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def pack_nibbles(q: Tensor) -> Tensor:
    """uint8 codes 0..15 [..., C] as [..., ceil(C/2)]: the first half of the row in the low nibbles,
    the second in the high.

    Halves, not neighbours: unpacking then writes two runs instead of every other byte.
    """
    if q.shape[-1] % 2:
        q = functional.pad(q, (0, 1))
    low, high = q.chunk(2, dim=-1)
    return low | (high << 4)


def unpack_nibbles(packed: Tensor, length: int) -> Tensor:
    """The uint8 codes [..., length] of `pack_nibbles`."""
    return torch.cat((packed & 15, packed >> 4), dim=-1)[..., :length]
