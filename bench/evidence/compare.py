"""Measure methods at several bits on several models: one measurement for each."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..baselines.allocated import Allocated
from ..baselines.method import Bits, Calibration, Method, RoundedWeights, Simulated
from ..baselines.taq import TAQ
from ..baselines.weights import RoundingName, round_weights
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
from .drawn import FULL, Drawn
from .resumable_run import Measurement, ResumableRun
from .subject import Subject
from .trial import Reference, Source

Rounder = Callable[..., RoundedWeights]
"""A function such as `baselines.weights.round_weights`: unet, bits, calibration, `rounding`."""


@dataclass(frozen=True)
class Variant:
    """A row of a table."""

    method: Method
    bits: Bits
    rounding: RoundingName | None = None
    """How its weights are rounded; None = as those of the whole table."""

    @property
    def name(self) -> str:
        """Method, bits and the row's own rounding, as the table shows them."""
        own = f", {self.rounding}" if self.rounding else ""
        return f"{self.method.name}, {self.bits.name}{own}"


def compare(
    run: ResumableRun,
    sources: Iterable[Source],
    variants: Sequence[Variant],
    round_: Rounder = round_weights,
    drawn: Drawn | None = None,
) -> None:
    """Measure every variant, and full precision, on every source, unless `run` has it already.

    All variants use the same rounding of weights, that of `round_`, unless they name one. What is
    learned is learned apart for TAQ, which computes the text's keys and values with exact weights.
    `drawn` keeps the pictures; those that it lacks are drawn, also where the measurement is there.
    """
    for source in sources:
        keys = [key(source.name, FULL), *(key(source.name, variant.name) for variant in variants)]
        rows = [FULL, *(variant.name for variant in variants)]
        if not run.missing(keys) and (not drawn or all(drawn.has(source.name, r) for r in rows)):
            continue
        context = _ModelContext(source, round_, drawn)
        run.measurement(keys[0], context.full_precision)
        if drawn and not drawn.has(source.name, FULL):
            context.full_precision()
        for variant in variants:
            run.measurement(key(source.name, variant.name), partial(context.measure, variant))
            if drawn and not drawn.has(source.name, variant.name):
                context.draw(variant)


def key(source: str, variant: str) -> str:
    """Return the name of a measurement in its run."""
    return f"{source} | {variant}"


class _ModelContext:
    """A loaded model, and what its variants share; each part is made when first needed."""

    def __init__(self, source: Source, round_: Rounder, drawn: Drawn | None) -> None:
        self._source, self._round, self._drawn = source, round_, drawn
        self._weights: dict[tuple[int | None, RoundingName | None, bool], RoundedWeights] = {}

    def full_precision(self) -> Measurement:
        pictures = self._reference.pictures
        self._keep(FULL, pictures)
        marks = self._reference.encoded.marks
        cost = self._cost(FULL_PRECISION, marks.shape[1])
        real = self._reference.trial.real
        features = self._features([pictures])
        if real:
            features |= self._features(real(), "real features")
        return {"figures": self._reference.judged(pictures), **cost, **features}

    def measure(self, variant: Variant) -> Measurement:
        simulated, pictures = self.draw(variant)
        precisions = simulated.about()
        cost = self._cost(precisions, protected_count(precisions, self._reference.encoded.marks))
        return {
            "figures": self._reference.metrics(simulated, pictures),
            **cost,
            **self._features([pictures]),
        }

    def draw(self, variant: Variant) -> tuple[Simulated, Tensor]:
        """Quantize and draw; return the simulated UNet and its pictures."""
        simulated = variant.method.quantize(
            self._subject.unet, self._calibration, variant.bits, self._rounded(variant)
        )
        pictures = self._reference.drawn_by(simulated)
        self._keep(variant.name, pictures)
        return simulated, pictures

    def _keep(self, row: str, pictures: Tensor) -> None:
        if self._drawn:
            self._drawn.keep(self._source.name, row, pictures, self._reference.trial.cases)

    def _cost(self, precisions: Precisions, exact_rows: float) -> Measurement:
        return {
            "bytes": weight_bytes(self._subject.unet, precisions),
            "K/V bytes": key_value_bytes(self._census, precisions, exact_rows),
            "bops": bops(self._census, precisions, exact_rows, self._subject.steps),
            "exact rows": exact_rows,
        }

    def _features(self, batches: Iterable[Tensor], name: str = "features") -> Measurement:
        found = [self._reference.trial.judge.features(pictures) for pictures in batches]
        features = [one for one in found if one is not None]
        return {name: packed(torch.cat(features))} if features else {}

    def _rounded(self, variant: Variant) -> RoundedWeights:
        text = not isinstance(variant.method, (TAQ, Allocated))
        known = variant.bits.weights, variant.rounding, text
        if known not in self._weights:
            own = {"rounding": variant.rounding} if variant.rounding else {}
            self._weights[known] = self._round(
                self._subject.unet, variant.bits, self._calibration, text=text, **own
            )
        return self._weights[known]

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
