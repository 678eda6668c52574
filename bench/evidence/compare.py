"""Measure methods at several bits on several models: one measurement for each."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from ..baselines.method import Bits, Calibration, Method, RoundedWeights
from ..baselines.weights import round_weights
from .cost import (
    FULL_PRECISION,
    Census,
    Precisions,
    bops,
    census,
    key_value_bytes,
    protected_count,
    weight_bytes,
)
from .resumable_run import Measurement, ResumableRun
from .subject import Subject
from .trial import Reference, Source

FULL = "full precision"
Rounder = Callable[[nn.Module, Bits, Calibration], RoundedWeights]
"""A function such as `baselines.weights.round_weights`."""


@dataclass(frozen=True)
class Variant:
    """A row of a table."""

    method: Method
    bits: Bits

    @property
    def name(self) -> str:
        """Method and bits, as the table shows them."""
        return f"{self.method.name}, {self.bits.name}"


def compare(
    run: ResumableRun,
    sources: Iterable[Source],
    variants: Sequence[Variant],
    round_: Rounder = round_weights,
) -> None:
    """Measure every variant, and full precision, on every source, unless `run` has it already.

    All variants use the same rounded weights, those of `round_`.
    """
    for source in sources:
        keys = [key(source.name, FULL), *(key(source.name, variant.name) for variant in variants)]
        if not run.missing(keys):
            continue
        context = _ModelContext(source, round_)
        run.measurement(keys[0], context.full_precision)
        for variant in variants:
            run.measurement(key(source.name, variant.name), partial(context.measure, variant))


def key(source: str, variant: str) -> str:
    """Return the name of a measurement in its run."""
    return f"{source} | {variant}"


class _ModelContext:
    """A loaded model, and what its variants share; each part is made when first needed."""

    def __init__(self, source: Source, round_: Rounder) -> None:
        self._source, self._round = source, round_
        self._weights: dict[int | None, RoundedWeights] = {}

    def full_precision(self) -> Measurement:
        pictures = self._reference.pictures
        marks = self._reference.encoded.marks
        cost = self._cost(FULL_PRECISION, marks.shape[1])
        real = self._reference.trial.real
        features = self._features(pictures) | (
            self._features(real(), "real features") if real else {}
        )
        return {"figures": self._reference.judged(pictures), **cost, **features}

    def measure(self, variant: Variant) -> Measurement:
        simulated = variant.method.quantize(
            self._subject.unet, self._calibration, variant.bits, self._rounded(variant.bits)
        )
        pictures, precisions = self._reference.drawn_by(simulated), simulated.about()
        cost = self._cost(precisions, protected_count(precisions, self._reference.encoded.marks))
        return {
            "figures": self._reference.metrics(simulated, pictures),
            **cost,
            **self._features(pictures),
        }

    def _cost(self, precisions: Precisions, exact_rows: float) -> Measurement:
        return {
            "bytes": weight_bytes(self._subject.unet, precisions),
            "K/V bytes": key_value_bytes(self._census, precisions, exact_rows),
            "bops": bops(self._census, precisions, exact_rows, self._subject.steps),
            "exact rows": exact_rows,
        }

    def _features(self, pictures: Tensor, name: str = "features") -> Measurement:
        features = self._reference.trial.judge.features(pictures)
        return {} if features is None else {name: packed(features)}

    def _rounded(self, bits: Bits) -> RoundedWeights:
        if bits.weights not in self._weights:
            self._weights[bits.weights] = self._round(self._subject.unet, bits, self._calibration)
        return self._weights[bits.weights]

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self._source.load())

    @property
    def _subject(self) -> Subject:
        return self._reference.subject

    @cached_property
    def _census(self) -> Census:
        return census(self._subject)

    @cached_property
    def _calibration(self) -> Calibration:
        return self._reference.calibration()


def packed(features: Tensor) -> dict[str, object]:
    """Pack features [n, d] for JSON: float16 in base64, with their shape."""
    values = features.detach().cpu().numpy().astype(np.float16)
    return {
        "shape": list(values.shape),
        "base64": base64.b64encode(values.tobytes()).decode("ascii"),
    }


def unpacked(features: dict[str, object]) -> NDArray[np.float64]:
    """Return the features [n, d] that were given to `packed`."""
    values = np.frombuffer(base64.b64decode(str(features["base64"])), np.float16)
    return values.reshape(features["shape"]).astype(np.float64)  # type: ignore[call-overload,no-any-return]
