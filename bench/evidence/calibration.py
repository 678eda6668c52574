"""Calibration data of all methods: calls of the full-precision UNet while it samples."""

from __future__ import annotations

from collections.abc import Sequence

from ..baselines.method import Calibration, Call
from .sampler import FullPrecision, draw
from .subject import Case, Subject


def record(subject: Subject, cases: Sequence[Case]) -> Calibration:
    """Record every step of sampling the `cases`, with both branches of guidance in each call."""
    calls: list[Call] = []
    encoded = subject.encode([case.prompt for case in cases])
    draw(
        subject,
        FullPrecision(subject.unet),
        encoded,
        subject.encode([""]),
        subject.noise(cases),
        calls.append,
    )
    return Calibration(tuple(calls), subject.guidance)
