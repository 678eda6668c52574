"""A UNet's layers without its forward pass: enough to quantize and to count bytes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from .unet_shapes import Shapes

Fill = Callable[[str, tuple[int, ...]], Tensor]
"""(parameter name, shape) -> its values."""


def skeleton(shapes: Shapes, fill: Fill) -> nn.Module:
    """Return nested modules named as in `shapes`, with Linear, Conv2d and norm layers.

    `fill` gives the parameters.
    """
    root = nn.Module()
    for name, shape in shapes.items():
        layer, _, kind = name.rpartition(".")
        if kind == "weight":
            _add(root, layer, _layer(shape, bias=f"{layer}.bias" in shapes))
        setattr(
            root.get_submodule(layer), kind, nn.Parameter(fill(name, shape), requires_grad=False)
        )
    return root


def random_half(seed: int, device: torch.device | str = "cpu") -> Fill:
    """Return a filler with float16 values as large as in a trained network, made on `device`.

    They are normal, divided by the square root of the fan-in.
    """
    generator = torch.Generator(device).manual_seed(seed)

    def fill(name: str, shape: tuple[int, ...]) -> Tensor:
        values = torch.randn(shape, generator=generator, device=device)
        return (values / max(1, values[0].numel()) ** 0.5).half()

    return fill


def random_unet(shapes: Shapes, device: torch.device | str = "cpu") -> dict[str, Tensor]:
    """Return float16 weights on the CPU that keep the size of signals; made on `device`.

    Vectors are as before training: scales are one, biases zero.
    """
    fill = random_half(0, device)
    return {
        name: (fill(name, shape) * 0.7).cpu() if len(shape) > 1 else _vector(name, shape)
        for name, shape in shapes.items()
    }


def _vector(name: str, shape: tuple[int, ...]) -> Tensor:
    return (torch.ones if name.endswith("weight") else torch.zeros)(shape).half()


def _layer(shape: tuple[int, ...], bias: bool) -> nn.Module:
    if len(shape) == 4:
        return nn.Conv2d(shape[1], shape[0], shape[2:], bias=bias, device="meta")
    if len(shape) == 2:
        return nn.Linear(shape[1], shape[0], bias=bias, device="meta")
    return nn.LayerNorm(shape[0], bias=bias, device="meta")


def _add(root: nn.Module, path: str, layer: nn.Module) -> None:
    *parents, last = path.split(".")
    for parent in parents:
        if not hasattr(root, parent):
            root.add_module(parent, nn.Module())
        root = root.get_submodule(parent)
    root.add_module(last, layer)
