"""Sizes of launches.

Triton's functions of the same names also take values of its language. To look for those takes as
long as to launch a kernel, and each layer asks several times in each step.
"""

from __future__ import annotations


def cdiv(count: int, size: int) -> int:
    """How many blocks of `size` hold `count` elements."""
    return -(-count // size)


def next_power_of_2(count: int) -> int:
    """The smallest power of two that is at least `count`, a positive number."""
    return 1 << (count - 1).bit_length()
