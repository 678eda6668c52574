"""What every layout declares: which weights it stores, how, and who computes with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from comfy_kitchen.tensor import QuantizedTensor, get_layout_class
from torch import Tensor

from ..backends import registry
from .grid import Grid


class WeightLayout:
    """One form of stored weights. A class that is never instantiated, as comfy-kitchen's are.

    A layout of our own is a `QuantizedLayout` of comfy-kitchen too; for one of comfy-kitchen's this
    adds what it does not say.
    """

    name: ClassVar[str]
    """Under which comfy-kitchen knows it."""
    format: ClassVar[str]
    """Its name in the `comfy_quant` entry of a state dict."""
    bits: ClassVar[int]
    """Of a code; the report and the choice of a layout go by them."""
    options: ClassVar[Mapping[str, Any]] = {}
    """Arguments of its `quantize`."""
    settings: ClassVar[tuple[str, ...]] = ()
    """Params that a `comfy_quant` entry states beside the format."""
    renamed: ClassVar[Mapping[str, str]] = {}
    """Suffix of `.weight` in a state dict -> name of the param, where that is another."""
    grid: ClassVar[type[Grid] | None] = None
    """The values of its codes; None = rounding cannot be calibrated."""

    @classmethod
    def takes(cls, shape: tuple[int, ...]) -> bool:
        """Whether it stores weights of `shape`: Linear [O, I] or Conv2d [O, C, kh, kw].

        The answer is the same for all devices, so that a file goes from one to another.
        """
        raise NotImplementedError

    @classmethod
    def backend(
        cls, weight: QuantizedTensor, at: registry.Machine, groups: int
    ) -> registry.Backend:
        """Who multiplies int8 activations with `weight`; FLOAT = it is decoded for each product.

        `groups` are those of a convolution.
        """
        return registry.Backend(registry.FLOAT, f"no int8 product takes {cls.name}")

    @classmethod
    def load(
        cls,
        tensors: Mapping[str, Tensor],
        dtype: torch.dtype,
        shape: tuple[int, ...],
        settings: Mapping[str, Any],
    ) -> QuantizedTensor:
        """The weight of `dtype` and `shape` from its state dict: suffix of `.weight` -> tensor.

        `settings` are those of its `comfy_quant` entry.
        """
        stored = {
            cls.renamed.get(suffix, suffix.removeprefix("_")): tensor
            for suffix, tensor in tensors.items()
        }
        codes, own = stored.pop(""), {name: settings[name] for name in cls.settings}
        params = get_layout_class(cls.name).Params(
            orig_dtype=dtype, orig_shape=shape, **stored, **own
        )
        return QuantizedTensor(codes, cls.name, params)

    @classmethod
    def portable(
        cls, tensors: Mapping[str, Tensor], settings: Mapping[str, Any], device: torch.device
    ) -> QuantizedTensor | None:
        """What replaces the stored weight (as in `load`) on `device`; None = it runs as it is."""
        return None
