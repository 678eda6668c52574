"""Seconds and turns from a request to its picture, on a tiny checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.bench import cli, latency
from personalq.bench.evidence import checkpoint_trials
from personalq.bench.evidence.checkpoint import Loading
from personalq.bench.evidence.options import Checkpoint
from personalq.bench.evidence.world_trials import Size
from personalq.tests.bench.evidence.test_checkpoint import TINY, write


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> dict:
    file = write(tmp_path_factory.mktemp("latency") / "tiny.safetensors", "sd15")
    loading = Loading("sks", "dog", steps=2, side=16, architecture=TINY["sd15"])
    trial = checkpoint_trials.sources(Checkpoint(file, loading), Size(1, 1, 2, 1))[0].load()
    return latency.measure(trial, ["W8A8", "W4A8"], 1, 20)


def test_each_part_takes_time(result):
    assert result["models"] == 1000
    assert result["requests"] == 20
    assert result["retrieve"] > 0
    assert result["decide"] > 0
    assert set(result["generate"]) == {"full precision", "W8A8", "W4A8"}
    assert all(seconds > 0 for seconds in result["generate"].values())


def test_a_question_is_a_turn(result):
    """Repo-Prompts has ambiguous requests, one in five, which need a question or two."""
    assert 0 < result["asked"] < 20
    assert 1 + result["asked"] / 20 <= result["turns"] <= 1 + 2 * result["asked"] / 20
    assert result["clarify"] > 0


def test_the_table_adds_up(result):
    lines = latency.report(result).splitlines()
    assert lines[2].endswith("end to end  with a question")
    row = [float(cell) for cell in lines[4].removeprefix("full precision").split()]
    retrieve, decide, clarify, generate, whole, asked = row
    assert whole == pytest.approx(decide + generate, rel=0.02)
    assert asked == pytest.approx(whole + clarify, rel=0.02)
    assert retrieve > 0


def test_a_checkpoint_needs_its_class(capsys, tmp_path: Path):
    assert cli.main(["latency", "--checkpoint", str(tmp_path / "x.safetensors")]) == 1
    assert "give --class" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--turbo"], "--turbo: for a checkpoint of yours alone; add --checkpoint"),
        (["--requests", "0"], "give --requests 1"),
    ],
)
def test_refusals(arguments, complaint, capsys):
    assert cli.main(["latency", *arguments]) == 1
    assert complaint in capsys.readouterr().err
