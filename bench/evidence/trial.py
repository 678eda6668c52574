"""One model with the pictures that are asked of it, and how they come out in full precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    real: Callable[[], Tensor] | None = None
    """Makes pictures [n, 3, H, W] of what the cases ask for that no model drew, where there are
    any.
    """


@dataclass(frozen=True)
class Source:
    """A trial that is loaded when a measurement of it is missing."""

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
        """By the number of the batch."""
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
        """What methods are calibrated on, recorded anew."""
        return calibration.record(self.subject, self.trial.calibration_cases)

    def drawn_by(self, model: Denoiser) -> Tensor:
        """The same pictures by a quantized model."""
        return draw(self.subject, model, self.encoded, self.empty, self.noise)

    def metrics(self, model: Denoiser, pictures: Tensor) -> Metrics:
        """Agreement with full precision, and what the judge sees, of each picture.

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
        """What the trial's judge sees in its `pictures`, of each picture."""
        return self.trial.judge.metrics(pictures, self.pictures, self.trial.cases)
