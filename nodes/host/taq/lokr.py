"""The two factors of a LoKr's Kronecker product, from what its file has of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def whole_factors(weights: Sequence[Any], kernel: tuple[int, ...]) -> tuple:
    """The weights of a `LoKrAdapter` with both factors whole, [O', I'] and [O'', I'', *kernel].

    alpha is in the second factor. `kernel` is () for Linear. The host's branch cannot run the
    second factor as a product at a convolution, and has another scale than its merge where the
    ranks of both factors differ.
    """
    first, second, alpha, a1, b1, a2, b2, core, _ = weights
    rank = None
    if first is None:
        first, rank = a1 @ b1, b1.shape[0]
    if second is None:
        rank = b2.shape[0]
        if core is None:
            second = (a2 @ b2).reshape(len(a2), -1, *kernel)
        else:
            second = torch.einsum("ijkl,jr,ip->prkl", core, b2, a2)
    if alpha is not None and rank is not None:
        second = second * (alpha / rank)
    return first, second, *[None] * 7
