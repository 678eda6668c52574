"""The host's architectures that TAQ runs, each in its own file."""

from __future__ import annotations

from importlib import import_module

from torch import nn

from .architecture import Architecture

_FILES = (
    "unet",
    "anima",
    "wan",
)
"""Files in this folder; each declares one architecture."""

ARCHITECTURES: tuple[Architecture, ...] = tuple(
    import_module(f".{file}", __name__).ARCHITECTURE for file in _FILES
)


def architecture_of(model: nn.Module) -> Architecture | None:
    """The architecture of the host's diffusion model; None = TAQ does not run it."""
    return next((each for each in ARCHITECTURES if each.is_of(model)), None)
