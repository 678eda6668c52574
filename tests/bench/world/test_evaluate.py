"""The table of how well the demo models draw."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: python quickstart.py test installs it")

from personalq.bench.world import evaluate

KEPT = Path(__file__).parents[3] / "bench" / "results" / "world"


def test_the_kept_table_names_the_command_that_makes_it() -> None:
    measured = json.loads(KEPT.with_suffix(".json").read_text("utf-8"))
    text = evaluate.report(measured)
    assert KEPT.with_suffix(".md").read_text("utf-8") == text + "\n"
    parser = argparse.ArgumentParser()
    evaluate.add_arguments(parser)
    command = text.split("`")[1].removeprefix("personalq bench world ")
    options = vars(parser.parse_args(command.split()))
    assert all(measured[name] == value for name, value in options.items() if name != "keep")
