"""How large the tensors of our int8 kernels may be."""

from __future__ import annotations

MAX_CHANNELS = 8192
"""The most channels of a pixel: one program of the kernel that quantizes pixels reads all."""
MAX_ELEMENTS = 2**31
"""A tensor must have fewer elements than this, because offsets inside kernels are 32-bit."""
