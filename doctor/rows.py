"""The result of one check: a row of the table."""

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
    """A check's result; what was not measured is None."""

    check: str
    shape: str
    result: str = OK
    reason: str = ""
    """Why it failed or was skipped."""
    backend: str = ""
    """What computed it, by the registry (`taq_kernels.backends`)."""
    error: float | None = None
    """L2 of the difference from the reference over L2 of the reference; of codes, the part that
    differs.
    """
    bound: float | None = None
    ms: float | None = None
    """Median of several calls, by the clock of the device where it has one."""
    float_ms: float | None = None
    """The same in floating point: half precision, on a CPU float32."""
    first_seconds: float | None = None
    """The first call, with whatever is compiled, tuned or loaded for it."""
    launch_ms: float | None = None
    """CPU time until a call returns, without waiting for the device."""
    layers: int = 1
    """Quantized layers in a call."""
    peak_mib: float | None = None
    """Device memory that a call takes at most, beyond what was taken before; of a UNet, with its
    weights.
    """
    estimate_mib: float | None = None
    """What ComfyUI's memory manager assumes."""


class Check(NamedTuple):
    """A measurement; `run` returns values for `Row`'s fields, or raises."""

    name: str
    shape: str
    run: Callable[[], dict[str, Any]]

    @property
    def key(self) -> str:
        """What tells this check from all others."""
        return f"{self.name}: {self.shape}"


def measured(check: Check) -> Row:
    """The row of `check`. An error becomes part of the row, so that other checks run."""
    try:
        row = Row(check.name, check.shape, **check.run())
    except NotHere as reason:
        return Row(check.name, check.shape, SKIPPED, str(reason))
    except Exception as error:
        full = (
            type(error).__name__ == "OutOfMemoryError"
        )  # of torch, which is not imported for this
        return Row(check.name, check.shape, SKIPPED if full else FAILED, _said(error))
    if row.error is not None and row.bound is not None and not row.error <= row.bound:
        row.result, row.reason = FAILED, "the error is above its bound"
    if row.error is not None and not math.isfinite(row.error):
        row.error, row.reason = None, "the result is not finite"
    return row


def _said(error: Exception) -> str:
    """The first line of its message, and the file and line that raised it."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    first = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {first} ({Path(at.filename).name}:{at.lineno})"
