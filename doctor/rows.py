"""A check, and its result as a row of the table."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

OK, FAILED, SKIPPED = "ok", "FAILED", "skipped"


class NotHere(Exception):
    """A check cannot run on this machine; the message says why."""


@dataclass
class Row:
    """A check's result; values that were not measured are None."""

    check: str
    shape: str
    result: str = OK
    reason: str = ""
    """Why it failed or was skipped."""
    backend: str = ""
    """The backend that computed it, from the registry (`taq_kernels.backends`)."""
    error: float | None = None
    """L2 norm of the difference from the reference, divided by that of the reference; for codes,
    the fraction that differs.
    """
    bound: float | None = None
    ms: float | None = None
    """Median time of several calls, by the device's clock if it has one."""
    float_ms: float | None = None
    """The same time in floating point: in half precision, or on a CPU in float32."""
    first_seconds: float | None = None
    """Time of the first call, including whatever is compiled, tuned or loaded for it."""
    launch_ms: float | None = None
    """CPU time until a call returns, without waiting for the device."""
    layers: int = 1
    """Quantized layers in a call."""
    peak_mib: float | None = None
    """Peak device memory of a call, minus what was in use before it; for a UNet, with its weights.
    """
    estimate_mib: float | None = None
    """The estimate of ComfyUI's memory manager for the same memory."""


class Check(NamedTuple):
    """A measurement; `run` returns values for `Row`'s fields, or raises."""

    name: str
    shape: str
    run: Callable[[], dict[str, Any]]

    @property
    def key(self) -> str:
        """A text that identifies this check."""
        return f"{self.name}: {self.shape}"


def measured(check: Check) -> Row:
    """Run `check` and return its row; an error is part of the row, so that other checks run."""
    try:
        row = Row(check.name, check.shape, **check.run())
    except NotHere as reason:
        return Row(check.name, check.shape, SKIPPED, str(reason))
    except Exception as error:
        full = (
            type(error).__name__ == "OutOfMemoryError"
        )  # torch's error, by name because this module does not import torch
        return Row(check.name, check.shape, SKIPPED if full else FAILED, _said(error))
    if row.error is not None and row.bound is not None and not row.error <= row.bound:
        row.result, row.reason = FAILED, "the error is above its bound"
    if row.error is not None and not math.isfinite(row.error):
        row.error, row.reason = None, "the result is not finite"
    return row


def _said(error: Exception) -> str:
    """The first line of the error's message, and the file and line that raised it."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    first = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {first} ({Path(at.filename).name}:{at.lineno})"
