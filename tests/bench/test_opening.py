"""The measurement of opening, on a small library, beside another version of the package."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from personalq.bench.cli import main
from personalq.bench.libraries.many import requests, write_many
from personalq.checkin import Repository

linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from Linux's /proc")
ROOT = Path(__file__).parents[2]


def test_many_files_have_names_and_content_of_their_own(tmp_path: Path) -> None:
    write_many(tmp_path, 2600)
    repository = Repository.open(tmp_path, embedder=None)
    names = [card.name for card in repository.cards]
    assert len(names) > 0.9 * 2600
    paths = [str(card.path) for card in repository.cards]
    owners = {path.split("/anime/")[1].split("/")[0] for path in paths if "/anime/" in path}
    assert len(owners) == 2, "the first library, and again of another owner"
    hashes = [card.sha256 for card in repository.cards if card.sha256]
    assert len(set(hashes)) > 0.9 * len(hashes)
    assert len(set(paths)) == len(names)


def test_requests_are_those_of_all_libraries() -> None:
    assert len(requests()) == 8 * 110


@linux
def test_both_versions_open_the_same_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opening", "--models", "40", "--runs", "1", "--beside", str(ROOT), "--json"]) == 0
    (size,) = json.loads(capsys.readouterr().out)["sizes"]
    assert size["models"] == 40
    for version in ("now", "before"):
        scan, opened = size[version]["scan"], size[version]["open"]
        assert scan["cpu"] > opened["cpu"] > 0
        assert opened["deciding_mib"] > opened["grown_mib"] > 0
        assert opened["first_decision_cpu"] > opened["cpu"]
    assert size["now"]["scan"]["index_mib"] == size["before"]["scan"]["index_mib"]


@linux
def test_the_table_has_a_row_for_each_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opening", "--models", "40", "--runs", "1"]) == 0
    said = capsys.readouterr().out
    assert "`personalq bench opening --models 40`" in said
    assert "| what | 40 files |" in said
    assert "| opening with the index, CPU s | 0.0" in said
    assert "ratio" not in said


@linux
def test_a_checkout_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python would take the installed package in its place, and both rows were of one version."""
    assert main(["opening", "--models", "4", "--beside", str(tmp_path)]) == 1
    assert f"{tmp_path} is no checkout of personalq" in capsys.readouterr().err
