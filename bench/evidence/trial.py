"""A model with the pictures to draw, and how they look in full precision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..baselines.method import Calibration, Call
from . import calibration
from .agreement import eps_errors
from .judge import Judge, Metrics
from .psnr import psnr
from .sampler import Denoiser, FullPrecision, draw
from .ssim import ssim
from .subject import Case, Subject


@dataclass(frozen=True)
class Trial:
    """What a table draws with one model."""

    subject: Subject
    cases: Sequence[Case]
    calibration_cases: Sequence[Case]
    judge: Judge
    real: Callable[[], Iterable[Tensor]] | None = None
    """Pictures to compare with, in batches [n, 3, H, W]: renders of the cases, or a user's own."""


@dataclass(frozen=True)
class Source:
    """A trial that is loaded only when a measurement of it is missing."""

    name: str
    load: Callable[[], Trial]


class Reference:
    """A trial's pictures and calls in full precision."""

    def __init__(self, trial: Trial) -> None:
        self.trial, self.subject = trial, trial.subject
        self.encoded = self.subject.encode([case.prompt for case in trial.cases])
        self.empty = self.subject.encode([""])
        self.noise = self.subject.noise(trial.cases)
        self._calls: dict[int, list[Call]] = {}
        """Number of the batch -> its recorded calls."""
        self.pictures = self._draw()

    def _draw(self) -> Tensor:
        compared = {0, self.subject.steps // 2, self.subject.steps - 1}
        batches = -1

        def watch(call: Call) -> None:
            nonlocal batches
            batches += call.step == 0
            if call.step in compared:
                self._calls.setdefault(batches, []).append(call)

        return draw(
            self.subject,
            FullPrecision(self.subject.unet),
            self.encoded,
            self.empty,
            self.noise,
            watch,
        )

    def calibration(self) -> Calibration:
        """Record the calls on which methods are calibrated."""
        return calibration.record(self.subject, self.trial.calibration_cases)

    def drawn_by(self, model: Denoiser) -> Tensor:
        """Draw the same pictures with a quantized model."""
        return draw(self.subject, model, self.encoded, self.empty, self.noise)

    def metrics(self, model: Denoiser, pictures: Tensor) -> Metrics:
        """Return each picture's agreement with full precision, and the judge's metrics.

        The errors of eps are averaged over the first, the middle and the last step of full
        precision's sampling.
        """
        errors = [eps_errors(model, calls, self.subject.guidance) for calls in self._calls.values()]
        eps = {
            f"eps {branch}": torch.cat([part[branch] for part in errors]).tolist()
            for branch in errors[0]
        }
        same = {
            "PSNR": psnr(pictures, self.pictures).tolist(),
            "SSIM": ssim(pictures, self.pictures).tolist(),
        }
        return same | eps | self.judged(pictures)

    def judged(self, pictures: Tensor) -> Metrics:
        """Return the judge's metrics of each of the trial's `pictures`."""
        return self.trial.judge.metrics(pictures, self.pictures, self.trial.cases)
