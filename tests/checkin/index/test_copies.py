"""Test copies of files: they are one model, and the file with the card is taken."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.index import hashes
from personalq.tests.checkin.own_loras import downloaded

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
TIME = datetime(2026, 9, 1, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "name",
    ["glow_v2 (1)", "glow_v2 - Copy", "glow_v2_copy", "glow_v2 - Kopie (2)", "new/glow_v2"],
)
def test_a_copy_is_no_newer_build(tmp_path: Path, name: str) -> None:
    downloaded(tmp_path, "glow_v2", "Glow", ["style"], "glow style")
    copy = tmp_path / f"{name}.safetensors"
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(tmp_path / "glow_v2.safetensors", copy)
    os.utime(copy, (TIME, TIME))
    index = tmp_path / "index.sqlite"
    for _ in range(2):  # the second time from the index
        repository = Repository.open(tmp_path, embedder=None, cache=index)
        decision = check_in("a castle, glow", repository, now=NOW)
        assert [card.triggers for card in decision.cards] == [("glow style",)], decision.why
        assert "builds" not in decision.why


def test_files_of_one_name_and_size_may_differ(tmp_path: Path) -> None:
    downloaded(tmp_path, "glow_v2", "Glow", ["style"], "glow style")
    other = (tmp_path / "glow_v2.safetensors").read_bytes()
    (tmp_path / "glow_v2 (1).safetensors").write_bytes(other[:-1] + bytes([other[-1] ^ 1]))
    repository = Repository.open(tmp_path, embedder=None)
    assert len({card.sha256 for card in repository.cards}) == 2


def test_a_scan_reads_only_so_much_and_the_next_goes_on(tmp_path: Path, monkeypatch) -> None:
    models, index = tmp_path / "models", tmp_path / "index.sqlite"
    models.mkdir()
    for name in ("glow_v2", "moss_v1"):
        downloaded(models, name, name, ["style"], "glow style")
        shutil.copyfile(models / f"{name}.safetensors", models / f"{name} (1).safetensors")
    size = (models / "glow_v2.safetensors").stat().st_size
    monkeypatch.setattr(hashes, "_MOST_READ", 2 * size)
    hashed = []
    for scan in range(2):
        (models / f"note_{scan}.safetensors").write_bytes(b"")  # something changed
        cards = Repository.open(models, embedder=None, cache=index).cards
        hashed.append(sum(card.sources.get("sha256") == "file" for card in cards))
    assert hashed == [2, 4]
