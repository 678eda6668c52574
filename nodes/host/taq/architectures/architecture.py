"""What an architecture declares of its cross-attention in the host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn


def _unchanged(model: nn.Module, context: Tensor) -> Tensor:
    return context


def _nothing(model: nn.Module) -> None:
    pass


@dataclass(frozen=True)
class Architecture:
    """A class of the host's diffusion models."""

    model: type[nn.Module]
    forward: Callable[..., Tensor]
    """Replaces the forward of a cross-attention: (module, its name, arguments of the forward)."""
    inputs: Callable[[Mapping[str, Any], int, int], dict[str, Any]]
    """(the host's configuration of the model, side of the latent, tokens of text) -> arguments of
    one call, made on torch's default device, without values.
    """
    text: Callable[[nn.Module, Tensor], Tensor] = _unchanged
    """(model, text [B, T, C] that it is called with) -> the text that its cross-attentions get."""
    prepare: Callable[[nn.Module], None] = _nothing
    """Changes a new model, which has no weights yet, so that its layers can be replaced."""
    subclasses: bool = False
    """Whether subclasses of `model` have the same cross-attention."""
    calibrates: bool = False
    """Whether the rounding of its weights can be learned (TAQ Calibrate)."""

    def is_of(self, model: nn.Module) -> bool:
        """Whether the diffusion model has this architecture."""
        return isinstance(model, self.model) if self.subclasses else type(model) is self.model
