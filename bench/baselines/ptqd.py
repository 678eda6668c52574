"""PTQD (He et al. 2023), simulated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from .activations import MinMax
from .layers import DOWN_CONVOLUTIONS, ENDS, SHORTCUTS, LayerExceptions
from .method import Bits, Calibration, RoundedWeights, Simulated, guided
from .points import Quantizer
from .simulate import SimulationConfig, simulate


@dataclass(frozen=True)
class PTQD:
    """One static range per layer input, and a correction of the guided noise at each step.

    Shortcut and downsampling convolutions and the products of attention stay in full precision; the
    first and the last convolution have 8 bits. Left out: per-tensor weight scales (all methods
    share the same rounded weights), and the smaller variance of the noise that a sampler adds,
    since it concerns only stochastic samplers.
    """

    name: str = "PTQD"

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`. Raises ValueError unless each call holds both branches of each picture."""
        exceptions = LayerExceptions(full=(*SHORTCUTS, *DOWN_CONVOLUTIONS), eight_bits=ENDS)
        simulated = simulate(
            unet, calibration, bits, weights, SimulationConfig(_input, exceptions=exceptions)
        )
        if bits.weights is None and bits.activations is None:
            return simulated
        return Corrected(simulated, find_corrections(_answers(simulated, calibration)))


@dataclass(frozen=True)
class Correction:
    """For one sampling step: quantized noise = (1 + slope) exact noise + `bias` [c, 1, 1]."""

    slope: float
    bias: Tensor

    def __call__(self, eps: Tensor) -> Tensor:
        """Return the guided noise [n, c, h, w] without bias and slope."""
        return (eps - self.bias.to(eps)) / (1 + self.slope)


class Corrected(Simulated):
    """A simulated UNet whose guided noise is corrected."""

    def __init__(self, simulated: Simulated, corrections: Mapping[int, Correction]) -> None:
        super().__init__(simulated.unet, simulated.context, simulated.about())
        self._corrections = corrections

    def correct(self, guided_eps: Tensor, step: int) -> Tensor:
        """Correct the noise of a step.

        Raises ValueError for a step that calibration did not have.
        """
        if step not in self._corrections:
            raise ValueError(
                f"no correction is known for sampling step {step}; calibrate with the steps of "
                "sampling"
            )
        return self._corrections[step](guided_eps)


def find_corrections(answers: Iterable[tuple[int, Tensor, Tensor]]) -> dict[int, Correction]:
    """Return a correction for each step.

    `answers` are (step, exact noise, quantized noise) of many calls, noise [m, c, h, w]. The slope
    is that of a linear regression of the error on the exact noise over all values of a step, and 0
    if negative; the bias is the mean of the rest, for each channel.
    """
    of_step: dict[int, list[tuple[Tensor, Tensor]]] = {}
    for step, exact, quantized in answers:
        of_step.setdefault(step, []).append((exact, quantized))
    return {
        step: _correction(*(torch.cat(part) for part in zip(*pairs, strict=True)))
        for step, pairs in of_step.items()
    }


def _correction(exact: Tensor, quantized: Tensor) -> Correction:
    exact, error = exact.double().cpu(), (quantized - exact).double().cpu()
    covariance = np.cov(exact.flatten().numpy(), error.flatten().numpy())
    slope = max(0.0, float(covariance[0, 1] / covariance[0, 0]))
    return Correction(slope, (error - slope * exact).mean((0, 2, 3)).float()[:, None, None])


def _answers(
    simulated: Simulated, calibration: Calibration
) -> Iterable[tuple[int, Tensor, Tensor]]:
    for call in calibration.calls:
        eps = simulated.eps(
            call.latents, call.timestep, call.text, call.added, call.step, call.protected
        )
        exact, quantized = (
            guided(e, call.conditional, calibration.guidance) for e in (call.eps, eps)
        )
        yield call.step, exact, quantized


def _input(name: str, bits: int) -> Quantizer:
    return MinMax(bits)
