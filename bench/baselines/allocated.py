"""TAQ with bits for each token and layer from sensitivity, in place of protected tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor, nn

from ...taq_kernels import protected_tokens
from ...taq_kernels.families import is_cross_attention
from .allocation import allocate
from .attention import AttentionBits
from .method import Bits, Calibration, Call, RoundedWeights, Simulated, guided
from .mixed_attention import CHOICES, EXACT, MixedAttention
from .points import Context
from .simulate import simulate
from .taq import TAQ

Unit = Literal["token and layer", "token", "layer"]
"""What has bits of its own: a token in a layer, a token in all layers, or all tokens of a layer."""
_PROBE = 4
"""Bits with which the weight of a layer's error is measured."""
_CALLS = 3
"""Number of calibration's calls on which it is measured."""


@dataclass(frozen=True)
class Allocated:
    """TAQ whose text has bits for each `unit`.

    Keys and values take no more bytes than with `like`.
    """

    name: str
    like: TAQ
    unit: Unit = "token and layer"

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`."""
        layers: dict[str, MixedAttention] = {}

        def attention(name: str, width: int, _: Context) -> MixedAttention | None:
            if not is_cross_attention(name):
                return None
            layers[name] = MixedAttention(width)
            return layers[name]

        config = replace(self.like.config, attention=attention)
        made = simulate(unet, calibration, bits, weights, config)
        return MixedBits(made, layers, calibration, self.like.protect, self.unit)


class MixedBits(Simulated):
    """A simulated UNet that allocates the bits of a prompt at its first call.

    That call runs cross-attention exactly, and each layer records how much the error of each token
    changes its output. The weight of a layer says how much such a change of its output changes the
    guided noise.
    """

    def __init__(
        self,
        simulated: Simulated,
        layers: Mapping[str, MixedAttention],
        calibration: Calibration,
        protect: str,
        unit: Unit,
    ) -> None:
        super().__init__(simulated.unet, simulated.context, simulated.about())
        self._layers, self._protect, self._unit = layers, protect, unit
        self._text = torch.zeros(0)
        self._drawn: dict[str, Counter[int]] = {name: Counter() for name in layers}
        self._weights = self._measured_weights(calibration)

    @torch.no_grad()
    def eps(
        self,
        latents: Tensor,
        timestep: Tensor,
        text: Tensor,
        added: dict[str, Tensor] | None,
        step: int,
        protected: Tensor,
    ) -> Tensor:
        """As `Simulated.eps`; the first call of a text allocates its bits."""
        if self._text.shape != text.shape or not torch.equal(self._text, text):
            self._set(None)
            super().eps(latents, timestep, text, added, step, protected)
            self._allocate(protected)
            self._text = text.clone()
        return super().eps(latents, timestep, text, added, step, protected)

    def about(self) -> dict[str, Any]:
        """As `Simulated.about`, with "mixed": layer -> bits -> share of the prompts' tokens."""
        mixed = {
            name: {bits: number / count.total() for bits, number in sorted(count.items())}
            for name, count in self._drawn.items()
            if count
        }
        return {**super().about(), "mixed": mixed}

    def _set(self, bits: Mapping[str, Tensor] | None) -> None:
        for name, layer in self._layers.items():
            layer.bits_of = bits[name] if bits else None

    def _allocate(self, marks: Tensor) -> None:
        exact = protected_tokens(marks, self._protect).sum(1).tolist()
        entries = [self._of_entry(entry, count) for entry, count in enumerate(exact)]
        named = (marks > 0).any(1)
        prompts = named if named.any() else torch.ones_like(named)
        bits = {
            name: torch.stack([entry[place] for entry in entries]).to(marks.device)
            for place, name in enumerate(self._layers)
        }
        for name, found in bits.items():
            self._drawn[name].update(found[prompts].flatten().tolist())
        self._set(bits)

    def _of_entry(self, entry: int, exact: int) -> list[Tensor]:
        """Return the bits int64 [T] of each layer, for the prompt of one batch entry.

        Its budget is what `exact` tokens in floating point, and the others at the preset's bits,
        take.
        """
        layers = list(self._layers.values())
        pairs = zip(layers, self._weights, strict=True)
        errors = torch.stack([layer.errors[entry] * weight for layer, weight in pairs])
        count = errors.shape[1]
        sizes = torch.tensor([layer.sizes for layer in layers])
        preset = CHOICES.index(layers[0].bits.k or EXACT)
        budget = (exact * sizes[:, -1] + (count - exact) * sizes[:, preset]).sum().item()
        sizes = sizes[:, None].expand_as(errors)
        if self._unit != "token and layer":
            shared = 0 if self._unit == "token" else 1
            errors, sizes = errors.sum(shared, keepdim=True), sizes.sum(shared, keepdim=True)
        chosen = allocate(errors.flatten(0, 1), sizes.flatten(0, 1), budget)
        bits = torch.tensor(CHOICES)[chosen].view(errors.shape[:2])
        return list(bits.expand(len(layers), count))

    @torch.no_grad()
    def _measured_weights(self, calibration: Calibration) -> list[float]:
        """Return, for each layer, its squared error of the guided noise over that of its output.

        One layer at a time has its text in few bits.
        """
        calls = calibration.calls
        chosen = [calls[n * (len(calls) - 1) // (_CALLS - 1)] for n in range(_CALLS)]
        found = torch.zeros(len(self._layers))
        for call in chosen:
            self._set(None)
            exact = self._guided(call, calibration.guidance)
            own = [
                x.errors[..., CHOICES.index(_PROBE)].sum(1).mean() for x in self._layers.values()
            ]
            changes = [
                (self._probed(name, call, calibration.guidance) - exact).square().mean().cpu()
                for name in self._layers
            ]
            found += torch.stack(changes) / torch.stack(own)
        return (found / len(chosen)).tolist()

    def _probed(self, probed: str, call: Call, guidance: float) -> Tensor:
        """Return the guided noise with the text of one layer in few bits."""
        layer = self._layers[probed]
        like = torch.full(call.text.shape[:2], EXACT, device=call.text.device)
        few = torch.full_like(like, _PROBE)
        self._set({name: few if name == probed else like for name in self._layers})
        preset, layer.bits = layer.bits, AttentionBits(None, _PROBE, _PROBE, _PROBE)
        eps = self._guided(call, guidance)
        layer.bits = preset
        return eps

    def _guided(self, call: Call, guidance: float) -> Tensor:
        args, kwargs = call.arguments
        return guided(self.unet(*args, **kwargs).sample, call.conditional, guidance)
