"""Compares the gated GELU of feed-forwards with float64."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from ..taq_kernels.backends import registry
from ..taq_kernels.backends.eager.gated import gated_gelu as reference
from .operations import On, relative_error, times
from .rows import Check
from .timing import first_call

BOUND = {torch.float32: 1e-5, torch.float16: 1e-3}
"""Bound of the error: float16 is rounded twice where no kernel runs, each time by 5e-4 at most."""
_SHAPES = ((2048, 5120), (77, 1280))
"""Tokens and values of each: SDXL's widest at 1024 px, and an odd one."""


def checks(device: torch.device) -> list[Check]:
    """The checks on `device`."""
    on = On.of(device)
    return [
        Check("gated GELU", "x".join(map(str, shape)), partial(gated_gelu, shape, on))
        for shape in _SHAPES
    ]


def gated_gelu(shape: tuple[int, int], on: On) -> dict[str, Any]:
    """Values for `rows.Row`: error and times for so many tokens of so many values."""
    tokens, width = shape
    both = on.random(tokens, 2 * width)
    runs_on = registry.gated_gelu(registry.machine(on.device))
    run = partial(runs_on.gated_gelu, both)
    out, seconds = first_call(run, on.device)
    found = {
        "backend": runs_on.name,
        "error": relative_error(out, reference(both.cpu().double()), out),
        "bound": BOUND[on.dtype],
        "first_seconds": seconds,
    }
    return found | times(run, partial(reference, both), on.device)
