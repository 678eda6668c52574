"""Test that a full disk or a read-only folder costs the side store, never the answer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch

from personalq.checkin import Repository, check_in
from personalq.checkin.user.history import History, Use
from personalq.checkin.user.preferences import load_preferences, save_preferences
from personalq.taq_kernels.storage.files import FileMetadata, write_quantized
from personalq.tests.checkin import make_files as make
from personalq.tests.fuzz.attack import Attack

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no command to mount a small disk")
    if done.returncode:
        pytest.skip("this account may not mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for number in range(10):
        model = make.make_lora(tmp_path / "m" / f"bear{number}.safetensors")
        make.beside(
            model, ".personalq.yaml", f"triggers: <bear{number}>\nsubjects: bear\nversion: {number}"
        )
    return tmp_path / "m"


def _answered(models: Path, folder: Path) -> None:
    repository = Repository.open(models, cache=folder / "deep" / "i.sqlite", embedder=None)
    assert check_in("my latest bear", repository, now=NOW).outcome == "select"
    repository = Repository.open(models, cache=folder / "i.sqlite", embedder=None)
    assert len(repository.cards) == 10


def test_a_full_disk_costs_no_answer(models: Path, small_disk: Path) -> None:
    attack = Attack("a full disk", most_seconds=10)
    save_preferences(small_disk, {"questions": 1})
    History(small_disk / "history.jsonl").add(Use(NOW, "the first"))
    Repository.open(models, cache=small_disk / "i.sqlite", embedder=None)
    (small_disk / "filler").write_bytes(b"")
    with (small_disk / "filler").open("ab") as file, suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(4096))
    make.beside(
        models / "bear1.safetensors", ".personalq.yaml", "triggers: <bear1>\nsubjects: bear"
    )
    with attack.case(0):
        _answered(models, small_disk)
    with attack.case(1):
        with pytest.raises(OSError, match="space"):
            History(small_disk / "history.jsonl").add(Use(NOW, "x" * 9000))
        assert [use.model for use in History(small_disk / "history.jsonl").uses()] == ["the first"]
    with attack.case(2):
        with pytest.raises(OSError, match="space"):
            save_preferences(small_disk, {"bases": {"sdxl": "x" * 9000}})
        assert load_preferences(small_disk).questions == 1
    with attack.case(3):
        metadata = FileMetadata("f" * 64, 8)
        with pytest.raises(OSError, match=r"(?i)space|I/O"):
            write_quantized(small_disk / "w.safetensors", {"a": torch.zeros(2**20)}, metadata)
    names = sorted(one.name for one in small_disk.iterdir() if not one.name.startswith("i.sqlite"))
    assert [name for name in names if name != "deep"] == [
        "filler",
        "history.jsonl",
        "settings.yaml",
    ]
    attack.finish()


def test_a_folder_that_cannot_be_written_costs_no_answer(models: Path, small_disk: Path) -> None:
    attack = Attack("a read-only folder", most_seconds=10)
    History(small_disk / "history.jsonl").add(Use(NOW, "the first"))
    Repository.open(models, cache=small_disk / "i.sqlite", embedder=None)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    make.beside(
        models / "bear1.safetensors", ".personalq.yaml", "triggers: <bear1>\nsubjects: bear"
    )
    with attack.case(0):
        _answered(models, small_disk)
    with attack.case(1):
        assert [use.model for use in History(small_disk / "history.jsonl").uses()] == ["the first"]
    attack.finish()
