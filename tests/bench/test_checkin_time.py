"""The measurement of Check-in, on a small collection."""

from __future__ import annotations

import json
from pathlib import Path

from personalq.bench.cli import main
from personalq.bench.collection import collection, requests, write_collection
from personalq.checkin import Repository


def test_collection_is_read_back_as_it_was_meant(tmp_path: Path) -> None:
    models = collection(40)
    write_collection(tmp_path, models)
    triggers = {card.trigger for card in Repository.open(tmp_path, embedder=None).cards}
    assert triggers == {model.trigger for model in models}
    assert len({model.path for model in models}) == len(models)


def test_requests_are_of_every_kind() -> None:
    texts = requests(200)
    assert len(set(texts)) > 100
    assert any("latest" in text for text in texts) and any("submarine" in text for text in texts)


def test_command_prints_its_result_as_json(capsys) -> None:
    assert main(["checkin", "--models", "40", "--decisions", "10", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["models"] == 40
    assert result["rescan_s"] < result["first_scan_s"]
    assert sum(result["words"]["outcomes"].values()) == 10


def test_too_few_decisions_are_refused(capsys) -> None:
    assert main(["checkin", "--decisions", "3"]) == 1
    assert "at least 10" in capsys.readouterr().err


def test_steps_needs_a_comfyui(tmp_path: Path, capsys) -> None:
    assert main(["steps", "--comfyui", str(tmp_path)]) == 1
    assert "no ComfyUI" in capsys.readouterr().err
