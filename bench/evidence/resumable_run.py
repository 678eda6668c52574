"""Save measurements one by one, so that an interrupted run resumes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...atomic_write import write_whole

Measurement = dict[str, Any]


class ResumableRun:
    """The measurements of one table with one set of settings.

    They are in a JSON file that holds a list of runs. Runs with equal settings count as one run.
    After a change of the code give another file: `about` says which code measured.
    """

    def __init__(
        self, out: Path, settings: dict[str, Any], about: Mapping[str, Any] | None = None
    ) -> None:
        """`settings`: all that the metrics depend on; `about`: stored when a run begins."""
        self._out = out
        self._runs: list[dict[str, Any]] = (
            json.loads(out.read_text("utf-8")) if out.is_file() else []
        )
        run = next((run for run in self._runs if run["settings"] == settings), None)
        if run is None:
            run = {"settings": settings, "about": dict(about or {}), "cells": {}}
            self._runs.append(run)
        self.settings: dict[str, Any] = run["settings"]
        self.about: dict[str, Any] = run["about"]
        self.measurements: dict[str, Measurement] = run["cells"]

    def missing(self, keys: list[str]) -> list[str]:
        """Return those of `keys` that have no measurement yet."""
        return [key for key in keys if key not in self.measurements]

    def measurement(self, key: str, make: Callable[[], Measurement]) -> Measurement:
        """Return the measurement of that name; if missing, make it and save it with its seconds."""
        if key not in self.measurements:
            started = time.perf_counter()
            made = make()
            self.measurements[key] = made | {"seconds": round(time.perf_counter() - started, 3)}
            write_whole(self._out, (json.dumps(self._runs) + "\n").encode())
        return self.measurements[key]
