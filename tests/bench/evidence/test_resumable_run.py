"""Test that a resumed run does not repeat its measurements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from personalq.bench.evidence.resumable_run import ResumableRun


def test_an_interrupted_run_resumes(tmp_path: Path):
    out = tmp_path / "new" / "out.json"
    first = ResumableRun(out, {"seed": 0}, {"machine": "this"})
    assert first.measurement("a", lambda: {"x": 1})["x"] == 1
    with pytest.raises(RuntimeError):
        first.measurement("b", lambda: (_ for _ in ()).throw(RuntimeError))

    again = ResumableRun(out, {"seed": 0}, {"machine": "another"})
    assert again.missing(["a", "b"]) == ["b"]
    assert again.measurement("a", lambda: pytest.fail("measured twice"))["x"] == 1
    assert again.about == {"machine": "this"}


def test_other_settings_are_another_run_in_the_same_file(tmp_path: Path):
    out = tmp_path / "out.json"
    ResumableRun(out, {"seed": 0}).measurement("a", lambda: {"x": 1})
    ResumableRun(out, {"seed": 1}).measurement("a", lambda: {"x": 2})
    assert [run["cells"]["a"]["x"] for run in json.loads(out.read_text())] == [1, 2]
    assert ResumableRun(out, {"seed": 1}).measurements["a"]["x"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
