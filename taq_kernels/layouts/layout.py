"""What each layout declares: which weights it stores, how, and which backend computes with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from comfy_kitchen.tensor import QuantizedTensor, get_layout_class
from torch import Tensor

from ..activations import simulated
from ..backends import registry
from ..spec import Activations
from .grid import Grid


class WeightLayout:
    """One form of stored weights; the class is never instantiated, like comfy-kitchen's layouts.

    Our own layouts are also a `QuantizedLayout` of comfy-kitchen. For comfy-kitchen's own layouts
    this class adds what they do not declare.
    """

    name: ClassVar[str]
    """Its name in comfy-kitchen."""
    format: ClassVar[str]
    """Its name in the `comfy_quant` entry of a state dict."""
    bits: ClassVar[int]
    """Bits of a code, used by the report and to choose a layout."""
    options: ClassVar[Mapping[str, Any]] = {}
    """Arguments of its `quantize`."""
    settings: ClassVar[tuple[str, ...]] = ()
    """Names of the params that a `comfy_quant` entry has in addition to the format."""
    renamed: ClassVar[Mapping[str, str]] = {}
    """Suffix after `.weight` in a state dict -> name of the param, where the two differ."""
    grid: ClassVar[type[Grid] | None] = None
    """The grid of its codes; None = its rounding cannot be calibrated."""

    @classmethod
    def takes(cls, shape: tuple[int, ...]) -> bool:
        """Whether it can store a weight of `shape`: Linear [O, I] or Conv2d [O, C, kh, kw].

        The answer is the same for all devices, so that a file works on any of them.
        """
        raise NotImplementedError

    @classmethod
    def backend(
        cls, weight: QuantizedTensor, at: registry.Machine, groups: int
    ) -> registry.Backend:
        """The backend that multiplies int8 activations with `weight`.

        FLOAT = the weight is decoded for each product. `groups` are those of a convolution.
        """
        return registry.Backend(registry.FLOAT, f"no int8 product takes {cls.name}")

    @classmethod
    def simulated_input(
        cls, weight: QuantizedTensor, x: Tensor, activations: Activations
    ) -> Tensor:
        """Tokens x [..., I] with the values that the products of `weight` round them to."""
        return simulated(x, activations)

    @classmethod
    def load(
        cls,
        tensors: Mapping[str, Tensor],
        dtype: torch.dtype,
        shape: tuple[int, ...],
        settings: Mapping[str, Any],
    ) -> QuantizedTensor:
        """The weight of `dtype` and `shape` from `tensors`: suffix after `.weight` -> tensor.

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
        """A weight to use on `device` in place of the stored one (arguments as in `load`).

        None = the stored weight runs there unchanged.
        """
        return None
