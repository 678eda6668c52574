"""What is compared: a tool's way to quantize a UNet, and whether it can run here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from torch import nn

from ...taq_kernels.families import FULL_PRECISION_GROUP, layer_group
from ...taq_kernels.layouts.formats import layer_weight


def _no_reasons() -> list[str]:
    return []


@dataclass(frozen=True)
class Contender:
    """A way to quantize a UNet."""

    name: str
    quantizes: str
    """Which layers it quantizes, and to what, in a few words for the table."""
    apply: Callable[[nn.Module], nn.Module]
    """Quantizes the given UNet, in place where it can, and returns it."""
    reasons: Callable[[], list[str]] = _no_reasons
    """Why it cannot run here; empty if it can."""
    simulated: bool = False
    """Products run in floating point although the precision says otherwise.

    Weight-only formats are not simulated.
    """
    scales_in_model_dtype: bool = False
    """Its scales have the dtype of the model.

    They count two bytes each, as in a half-precision model.
    """
    sampling_bytes: Callable[[nn.Module], int] | None = None
    """Bytes in use while sampling, after the UNet has run, where that is less than all it holds."""


def missing(package: str) -> list[str]:
    """Return one reason if a package is not installed, else none.

    The name may have dots, for a part of a package. It is not imported.
    """
    parts = package.split(".")
    found = all(find_spec(".".join(parts[: length + 1])) for length in range(len(parts)))
    return [] if found else [f"the package {package} is not installed"]


def layers(unet: nn.Module, *kinds: type[nn.Module]) -> Iterator[tuple[str, Any]]:
    """Yield name and module of every Linear and Conv2d that is of one of `kinds`.

    All contenders leave out conv_in, conv_out and the time and label embeddings: an error there
    reaches every pixel, and they hold few weights. So contenders differ in their method, not in the
    layers they quantize.
    """
    for name, layer in list(unet.named_modules()):
        if (
            isinstance(layer, kinds)
            and layer_weight(layer) is not None
            and layer_group(name) != FULL_PRECISION_GROUP
        ):
            yield name, layer
