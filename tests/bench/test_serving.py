"""Test the simulation of many cards, and what is counted of painters, against counting by hand."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from personalq.bench.cli import main
from personalq.bench.serving.painters import Loads, counted
from personalq.bench.serving.simulation import (
    Choose,
    Costs,
    by_base,
    in_turn,
    least_busy,
    own_card,
    simulate,
)

IDLE = Costs(cards=2, models=6, bases=3, jobs=400, held=4, load=0.01)


@pytest.mark.parametrize("way", [by_base(), in_turn(), least_busy, own_card])
def test_cards_that_hold_all_bases_load_each_once(way: Choose) -> None:
    found = simulate(IDLE, way, random.Random(1))
    assert found["loads"] <= IDLE.cards * IDLE.bases
    assert IDLE.draw <= found["p50"] <= IDLE.draw + IDLE.switch + 1e-6


def test_jobs_that_go_to_their_base_load_less() -> None:
    busy = Costs(cards=4, models=100, bases=12, jobs=4000, held=3, load=0.5)
    by, turn = (simulate(busy, way, random.Random(1)) for way in (by_base(12.0), in_turn()))
    assert by["loads"] < turn["loads"] / 2
    assert by["p95"] < turn["p95"]


def test_one_card_draws_what_it_can() -> None:
    full = Costs(cards=1, models=1, bases=1, jobs=500, load=5.0, draw=2.0, switch=0.5, fetch=9.0)
    found = simulate(full, least_busy, random.Random(1))
    assert found["a_minute"] == pytest.approx(500 * 60 / (500 * 2.0 + 0.5 + 9.0), rel=0.01)
    assert found["loads"] == 1


def test_work_of_a_painter_is_counted_where_its_report_changes() -> None:
    first = [(9.0, 1.5), (4.0, 1.5), (4.0, 1.5), (8.0, 0.7), (4.0, 1.5), (4.0, 0.7)]
    second = [(7.0, 1.5), (4.0, 1.5), (4.0, None)]
    assert counted(5, [first, second]) == Loads(loads=5, quantized=3, switch=5.0 + 4.0 + 3.0)
    assert counted(0, []) == Loads(0, 0, 0.0)


def test_decisions_need_no_comfyui(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sqlalchemy", reason="no service: python quickstart.py test installs it")
    few = ["--models", "40", "--decisions", "16", "--clients", "2"]
    nowhere = ["--comfyui", str(tmp_path), "--demo", str(tmp_path / "demo")]
    assert main(["serving", "--parts", "decide", *few, *nowhere, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decided"]["requests"] == 16
    assert not (tmp_path / "demo").exists()
