"""The measurement of Check-in, on a small collection."""

from __future__ import annotations

import json
from pathlib import Path

from personalq.bench.checkin_time import kept
from personalq.bench.cli import main
from personalq.bench.collection import REQUESTS, collection, requests, write_collection
from personalq.checkin import Repository


def test_collection_is_read_back_as_it_was_meant(tmp_path: Path) -> None:
    models = collection(40)
    write_collection(tmp_path, models)
    triggers = {card.trigger for card in Repository.open(tmp_path, embedder=None).cards}
    assert triggers == {model.trigger for model in models}
    assert len({model.path for model in models}) == len(models)


def test_requests_are_of_every_kind() -> None:
    found = requests(200)
    assert len(set(found)) > 100
    assert {kind for kind, _ in found} == set(REQUESTS)
    assert any("latest" in text for _, text in found)
    assert any("submarine" in text for _, text in found)


def test_command_prints_its_result_as_json(capsys) -> None:
    assert main(["checkin", "--models", "40", "--decisions", "16", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    size = result["sizes"][0]
    assert size["models"] == size["first_scan"]["files_read"] == 40
    assert size["rescan"]["files_read"] == 1
    outcomes = [kind["outcomes"] for kind in size["decide"]["kinds"].values()]
    assert sum(sum(one.values()) for one in outcomes) == 16
    assert {name for one in outcomes for name in one} == {
        "select",
        "clarify",
        "no_match",
    }
    assert "`personalq bench checkin --models 40 --decisions 16 --keep`" in kept(result)


def test_no_model_is_refused(capsys) -> None:
    assert main(["checkin", "--models", "40", "0"]) == 1
    assert "at least one model is needed" in capsys.readouterr().err


def test_too_few_decisions_are_refused(capsys) -> None:
    assert main(["checkin", "--decisions", "3"]) == 1
    assert "at least 16" in capsys.readouterr().err


def test_steps_needs_a_comfyui(tmp_path: Path, capsys) -> None:
    assert main(["steps", "--comfyui", str(tmp_path)]) == 1
    assert "no ComfyUI" in capsys.readouterr().err
