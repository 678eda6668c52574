"""Results that are kept as they come, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


class KeptRun:
    """The cells of one table under one set of settings, in a JSON file that holds a list of runs.

    Runs with equal settings are one run. After a change of the code give another file; `about`
    tells.
    """

    def __init__(
        self, out: Path, settings: dict[str, Any], about: Mapping[str, Any] | None = None
    ) -> None:
        """`settings` are what figures depend on; `about` is noted when a run begins."""
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
        self.cells: dict[str, Cell] = run["cells"]

    def missing(self, keys: list[str]) -> list[str]:
        """Those of `keys` that have no cell yet."""
        return [key for key in keys if key not in self.cells]

    def cell(self, key: str, make: Callable[[], Cell]) -> Cell:
        """The cell of that name, made now and kept with its seconds if it is not there yet."""
        if key not in self.cells:
            started = time.perf_counter()
            made = make()
            self.cells[key] = made | {"seconds": round(time.perf_counter() - started, 3)}
            self._save()
        return self.cells[key]

    def _save(self) -> None:
        """Whole or not at all: the file is replaced in one step."""
        self._out.parent.mkdir(parents=True, exist_ok=True)
        partial = self._out.with_name(self._out.name + ".partial")
        partial.write_text(json.dumps(self._runs) + "\n", "utf-8")
        partial.replace(self._out)
