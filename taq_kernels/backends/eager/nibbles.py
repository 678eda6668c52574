"""Two 4-bit codes in one byte."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def pack_nibbles(q: Tensor) -> Tensor:
    """Pack uint8 codes 0..15 [..., C] into [..., ceil(C/2)].

    The first half of a row goes into the low nibbles, the second half into the high ones. Because
    neighbours do not share a byte, unpacking writes two contiguous runs, not every other byte.
    """
    if q.shape[-1] % 2:
        q = functional.pad(q, (0, 1))
    low, high = q.chunk(2, dim=-1)
    return low | (high << 4)


def unpack_nibbles(packed: Tensor, length: int) -> Tensor:
    """Unpack the uint8 codes [..., length] that `pack_nibbles` packed."""
    return torch.cat((packed & 15, packed >> 4), dim=-1)[..., :length]
