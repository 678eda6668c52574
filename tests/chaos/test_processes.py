"""Test that processes and threads at the same time lose no write and keep no stale card."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository
from personalq.checkin.index.sidecar_file import write_generated, write_sidecar
from personalq.checkin.user.favourites import favourites, mark
from personalq.checkin.user.history import History, Use
from personalq.tests.checkin import make_files as make
from personalq.tests.fuzz.attack import SEED, Attack

from .children import at_once

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
WRITES = 200
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def test_two_processes_lose_no_use(tmp_path: Path) -> None:
    attack = Attack("two processes x 200 writes: history", most_seconds=60, clock=time.monotonic)
    history = History(tmp_path / "history.jsonl")

    def write(name: str) -> None:
        for number in range(WRITES):
            history.add(Use(NOW, f"{name} {number}"))

    with attack.case(0, of=2 * WRITES):
        assert at_once(lambda: write("a"), lambda: write("b")) == [0, 0]
    kept = len({use.model for use in history.uses()})
    if kept < 2 * WRITES:
        attack.broke("lost_writes", 0, f"{kept} of {2 * WRITES} are there")
    attack.finish()


def test_two_processes_lose_no_mark(tmp_path: Path) -> None:
    attack = Attack("two processes x 200 writes: favourites", most_seconds=90, clock=time.monotonic)

    def write(name: str) -> None:
        for number in range(WRITES):
            mark(tmp_path, f"{name}{number}")

    with attack.case(0, of=2 * WRITES):
        assert at_once(lambda: write("a"), lambda: write("b")) == [0, 0]
    kept = len(favourites(tmp_path))
    if kept < 2 * WRITES:
        attack.broke("lost_writes", 0, f"{kept} of {2 * WRITES} are there")
    attack.finish()


def test_a_program_and_an_editor_lose_no_edit(tmp_path: Path) -> None:
    attack = Attack(
        "describing x a person's editor: sidecars", most_seconds=60, clock=time.monotonic
    )
    model = make.make_lora(tmp_path / "a.safetensors")
    sidecar = write_sidecar(model, {"triggers": ["<a>"]})

    def describe() -> None:
        for number in range(100):
            write_generated(model, {"description": f"number {number}"}, "a program", NOW)

    def edit() -> None:
        for number in range(100):
            write_sidecar(model, {"version": str(number)})
            text = sidecar.read_text()
            if f"version: '{number}'" not in text:
                raise AssertionError(f"version {number} is not there: {text}")

    with attack.case(0, of=200):
        assert at_once(describe, edit) == [0, 0]
        assert "number 99" in sidecar.read_text()
    attack.finish()


@pytest.mark.parametrize("processes", [True, False])
def test_no_card_is_stale(tmp_path: Path, processes: bool) -> None:
    kind = "processes" if processes else "threads"
    attack = Attack(f"three {kind} on one index", most_seconds=60, clock=time.monotonic)
    folder, cache = tmp_path / "m", tmp_path / "i.sqlite"
    for number in range(60):
        model = make.make_lora(folder / f"a{number}.safetensors")
        make.beside(model, ".personalq.yaml", f"triggers: <a{number}>\nversion: 1")
    Repository.open(folder, cache=cache, embedder=None)
    until = time.monotonic() + 5

    def work(which: int) -> None:
        chance = attack.random(which)
        edits = 0
        while time.monotonic() < until:
            number = chance.randrange(which, 60, 3)  # each edits its own files
            edits += 1
            said = f"triggers: <a{number}>\nversion: {which}.{edits}"
            make.beside(folder / f"a{number}.safetensors", ".personalq.yaml", said)
            Repository.open(folder, cache=cache, embedder=None)

    with attack.case(0, of=60):
        if processes:
            assert at_once(*(lambda which=which: work(which) for which in range(3))) == [0] * 3
        else:
            threads = [threading.Thread(target=work, args=(which,)) for which in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    kept = {
        card.name: card.version
        for card in Repository.open(folder, cache=cache, embedder=None).cards
    }
    told = {card.name: card.version for card in Repository.open(folder, embedder=None).cards}
    for name in told.keys() | kept.keys():
        if kept.get(name) != told.get(name):
            attack.broke("stale_cards", SEED, f"{name}: {kept.get(name)}, not {told.get(name)}")
    attack.finish()


def test_files_that_vanish_during_a_scan_cost_only_themselves(tmp_path: Path) -> None:
    attack = Attack("files that come and go during a scan", most_seconds=10)
    good = make.make_lora(tmp_path / "good.safetensors")
    make.beside(good, ".personalq.yaml", "triggers: <good>")
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            for number in range(40):
                model = make.make_lora(tmp_path / f"v{number}.safetensors")
                make.beside(model, ".txt", "x").unlink()
                model.unlink()

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for number in attack.numbers(60):
            with attack.case(number):
                cards = Repository.open(tmp_path, cache=tmp_path / "i", embedder=None).cards
                assert "good" in {card.name for card in cards}
    finally:
        stop.set()
        thread.join()
    attack.finish()
