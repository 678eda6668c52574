"""Test the measurement of learning rates, on a demo model."""

from __future__ import annotations

import json

import pytest

pytest.importorskip(
    "diffusers", reason="diffusers is not installed: python quickstart.py test installs it"
)

from personalq.bench import kept_results, learning_rates
from personalq.bench.evidence.world_trials import Size

SIZE = Size(models=1, pictures=1, steps=2, calibration=1)


def test_each_rate_is_learned_from_nearest_and_once(tmp_path, monkeypatch):
    out, rows = tmp_path / "rates.json", {"residual": ((4, 0.2), (4, 1e-6))}
    result = learning_rates.measure(SIZE, out, rows)
    nearest, fast, slow = result["rows"]
    assert (nearest["iterations"], fast["rate"], slow["rate"]) == (0, 0.2, 1e-6)
    assert slow["own"] == pytest.approx(nearest["own"], rel=0.01)
    assert slow["others"] == pytest.approx(nearest["others"], rel=0.01)
    assert fast["own"] != nearest["own"]
    assert 0 < fast["undecided"] < slow["undecided"] <= 1
    assert 0.01 < nearest["others"] < 0.1

    monkeypatch.setattr(learning_rates, "_recorded", lambda *_: pytest.fail("measured already"))
    assert learning_rates.measure(SIZE, out, rows) == result
    monkeypatch.setattr(kept_results, "RESULTS", tmp_path)
    text = learning_rates.report(result)
    kept_results.keep(learning_rates.NAME, result, text)
    assert "| residual | to nearest |" in (tmp_path / "learning_rates.md").read_text("utf-8")
    assert len(json.loads((tmp_path / "learning_rates.json").read_text("utf-8"))["rows"]) == 3
