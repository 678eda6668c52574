"""Stores a personalised checkpoint as a quantized base and a low-rank residual, which is a bypass
branch of each quantized layer.

As in SVDQuant (Li et al. 2025), the branch also corrects errors of the quantized base: up @ down is
the best approximation of (personal weight - quantized base weight), so it has both the difference
between the personalised checkpoint and its base, and the largest errors of quantizing the base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from ..families import LayerBits
from ..quantize import quantize_weight
from .state_dict import Progress, Read, wanted_bits

PREFIX = "diffusion_model."
MAX_RANK = 128
_OVERSAMPLE = 8
"""Directions beyond the rank, which make a randomized SVD accurate (Halko et al. 2011)."""


@dataclass(frozen=True)
class LowRankResidual:
    """The low-rank residual of a quantized base, and the error that remains with it."""

    state: dict[str, Tensor]
    """Tensors named as in a LoRA file: `<layer>.lora_up.weight`, `.lora_down.weight` and `.alpha`
    for quantized layers, `.diff` and `.diff_b` (of a bias) for parts in full precision.
    """
    error: float
    """Relative L2 error of the weights of quantized layers, with base and residual added."""
    error_whole: float
    """The same error if the personalised checkpoint itself is quantized."""

    @property
    def nbytes(self) -> int:
        """Bytes of the residual."""
        return sum(tensor.nbytes for tensor in self.state.values())

    @property
    def as_close(self) -> bool:
        """Whether the error is no larger than that of quantizing the checkpoint itself."""
        return self.error <= self.error_whole


def make_low_rank_residual(
    personal: Mapping[str, Read],
    base: Mapping[str, Read],
    bits: int,
    overrides: LayerBits | None = None,
    *,
    energy: float | None = None,
    progress: Progress | None = None,
) -> LowRankResidual:
    """Make the low-rank residual of a personalised checkpoint and its base.

    `personal` and `base` are their UNet weights: name in the UNet -> function that reads it. Each
    branch has the smallest rank, up to MAX_RANK, with which the weight is as close to the personal
    weight as that weight quantized by itself; or, with `energy` in (0, 1], the smallest rank that
    covers this fraction of the difference's squared norm. Raises ValueError for checkpoints of
    different layers or shapes.
    """
    if personal.keys() != base.keys():
        odd = sorted(personal.keys() ^ base.keys())[:3]
        raise ValueError(
            f"the checkpoint and its base have different layers ({', '.join(odd)}): name the right "
            "base"
        )
    state: dict[str, Tensor] = {}
    off = whole = total = 0.0
    for done, name in enumerate(personal, 1):
        weight, before = personal[name]().float(), base[name]().float()
        if weight.shape != before.shape:
            raise ValueError(
                f"{name} is {tuple(weight.shape)}, and {tuple(before.shape)} in the base: name the "
                "right base"
            )
        wanted = wanted_bits(name, weight, bits, overrides)
        if wanted:
            residual = (weight - quantize_weight(before, wanted).dequantize()).flatten(1)
            own = _squared(weight - quantize_weight(weight, wanted).dequantize())
            left = (
                own
                if energy is None
                else max(0.0, _squared(residual) - energy * _squared(weight - before))
            )
            up, down = _low_rank(residual, left)
            off, whole, total = (
                off + _squared(residual - up @ down),
                whole + own,
                total + _squared(weight),
            )
            state |= (
                _branch(PREFIX + name.removesuffix(".weight"), up, down, weight.shape)
                if len(down)
                else {}
            )
        elif not torch.equal(weight, before):
            state[PREFIX + _difference_name(name)] = (weight - before).half()
        if progress:
            progress(done, len(personal))
    return LowRankResidual(state, (off / total) ** 0.5, (whole / total) ** 0.5)


def _difference_name(name: str) -> str:
    """The name of the difference of the parameter `name`, as ComfyUI reads it."""
    layer, _, kind = name.rpartition(".")
    if kind == "bias":
        return f"{layer}.diff_b"
    return f"{layer if kind == 'weight' else name}.diff"


def _low_rank(matrix: Tensor, left: float) -> tuple[Tensor, Tensor]:
    """Up [O, r] and down [r, I], rounded to half precision, whose product approximates `matrix`.

    r is the smallest rank, up to MAX_RANK, that leaves at most `left` of the squared norm.
    """
    rank = min(MAX_RANK, *matrix.shape)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        u, s, v = torch.svd_lowrank(matrix, min(rank + _OVERSAMPLE, *matrix.shape), niter=2)
    remaining = _squared(matrix) - s.square().cumsum(0)
    enough = 0 if _squared(matrix) <= left else int((remaining > left).sum()) + 1
    root = s[: min(enough, rank)].sqrt()
    used = len(root)
    return (u[:, :used] * root).half().float(), (root[:, None] * v[:, :used].T).half().float()


def _branch(layer: str, up: Tensor, down: Tensor, shape: torch.Size) -> dict[str, Tensor]:
    rank = len(down)
    return {
        f"{layer}.lora_up.weight": up.half().reshape(shape[0], rank, *[1] * (len(shape) - 2)),
        f"{layer}.lora_down.weight": down.half().reshape(rank, *shape[1:]),
        f"{layer}.alpha": torch.tensor(float(rank)),
    }


def _squared(x: Tensor) -> float:
    return float(x.square().sum())
