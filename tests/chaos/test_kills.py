"""Test that a process killed while it writes loses nothing that was written, and breaks no file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch

from personalq.atomic_write import ENDING
from personalq.checkin import Repository
from personalq.checkin.index.sidecar_file import write_sidecar
from personalq.checkin.user.history import History, Use
from personalq.checkin.user.preferences import load_preferences, save_preferences
from personalq.taq_kernels.calibration.reconstruct import BlockResult
from personalq.taq_kernels.calibration.store import Store
from personalq.taq_kernels.quantize import quantize_weight
from personalq.taq_kernels.storage.files import FileMetadata, read_quantized, write_quantized
from personalq.tests.checkin import make_files as make
from personalq.tests.fuzz.attack import Attack

from .children import killed_after

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
KILLS = 30
NOW = datetime(2026, 5, 1, tzinfo=UTC)


@dataclass
class Written:
    """A store: how it is written, and how many of its writes are there and whole."""

    write: Callable[[int], object]
    whole: Callable[[], object]


def _index(folder: Path) -> Written:
    for number in range(20):
        model = make.make_lora(folder / "m" / f"a{number}.safetensors")
        make.beside(model, ".personalq.yaml", f"triggers: <a{number}>")

    def write(number: int) -> None:
        beside = folder / "m" / f"a{number % 20}.personalq.yaml"
        beside.write_text(f"triggers: <a{number % 20}>\nversion: {number + 100}")
        Repository.open(folder / "m", cache=folder / "i.sqlite", embedder=None)

    def whole() -> None:
        kept = Repository.open(folder / "m", cache=folder / "i.sqlite", embedder=None).cards
        assert list(kept) == list(Repository.open(folder / "m", embedder=None).cards)

    return Written(write, whole)


def _sidecar(folder: Path) -> Written:
    model = make.make_lora(folder / "a.safetensors")
    write_sidecar(model, {"triggers": ["<a>"], "description": "x" * 1500})

    def whole() -> None:
        text = model.with_suffix(".personalq.yaml").read_text()
        assert text.startswith("triggers:")
        assert "x" * 1500 in text.replace("\n", "").replace("  ", "")
        assert model.with_suffix(".personalq.yaml").stat().st_mode & 0o777 == 0o644

    model.with_suffix(".personalq.yaml").chmod(0o644)
    return Written(lambda number: write_sidecar(model, {"version": str(number)}), whole)


def _settings(folder: Path) -> Written:
    save_preferences(folder, {"reasoner": "gemini"})

    def whole() -> None:
        assert load_preferences(folder).reasoner == "gemini"

    return Written(lambda number: save_preferences(folder, {"questions": number % 3}), whole)


def _history(folder: Path) -> Written:
    history = History(folder / "history.jsonl")
    history.add(Use(NOW, "the first"))
    before = [1]

    def whole() -> None:
        uses = history.uses()
        assert uses[0].model == "the first"
        assert len(uses) >= before[0], "what was there is there"
        before[0] = len(uses)

    return Written(lambda number: history.add(Use(NOW, f"use {number}")), whole)


def _weights(folder: Path) -> Written:
    metadata = FileMetadata("f" * 64, 8)
    path = folder / "weights.safetensors"
    write_quantized(path, {"a.weight": torch.zeros(2**16)}, metadata)

    def whole() -> None:
        [tensor] = read_quantized(path, metadata).values()
        assert len(set(tensor.tolist())) == 1

    def write(number: int) -> None:
        write_quantized(path, {"a.weight": torch.full((2**16,), float(number % 100))}, metadata)

    return Written(write, whole)


def _calibration(folder: Path) -> Written:
    """A block that is made again and again."""
    values = torch.linspace(-1, 1, 2**14).reshape(64, 256)
    result = BlockResult("block", ("layer",), 0.5, 0.25)
    quantize_weight(values, 8)

    def write(number: int) -> None:
        weight = quantize_weight(values * (number % 100 + 1), 8)
        Store(folder, {"seed": 0}).put(0, result, {"layer": weight})

    def whole() -> None:
        filled = quantize_weight(values, 8)
        if Store(folder, {"seed": 0}).fill(0, {"layer": filled}):
            found = filled.dequantize()
            scale = found.abs().max().item()
            assert torch.allclose(found / scale, values, atol=0.02)

    return Written(write, whole)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """A forked process that used its parent's threads of torch would stand still."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("store", [_index, _sidecar, _settings, _history, _weights, _calibration])
def test_nothing_written_is_lost(tmp_path: Path, store: Callable[[Path], Written]) -> None:
    attack = Attack(f"kill -9: {store.__name__[1:]}", most_seconds=10)
    written = store(tmp_path)
    written.write(0)
    ended = 0
    for number in attack.numbers(KILLS):
        with attack.case(number):
            ended += killed_after(attack.random(number).uniform(0.01, 0.15), written.write)
            written.whole()
    assert ended, "the processes that were killed wrote"
    left = list(tmp_path.glob(f"*{ENDING}"))
    assert len(left) <= KILLS
    attack.finish()
