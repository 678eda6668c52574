"""Test large repositories.

What is read again, what remains after an interruption, stable ids, copies, and time.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.index import read_models
from personalq.checkin.index.store import Index
from personalq.tests.checkin import make_files as make

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
THINGS = ("dog", "cat", "bear", "horse", "car", "toy", "watch", "bag", "chair", "house")
LOOKS = ("realistic", "cartoon", "watercolour", "sketch", "pixel art")
BEAR = "triggers: <bear>\nsubjects: [bear]\nstyles: [sketch]\n"


def opened(*folders: Path, **options) -> Repository:
    return Repository.open(*folders, embedder=None, **options)


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """The names of the model files that are read, as they are read."""
    names: list[str] = []
    original = read_models.read_model

    def noted(model):
        names.append(Path(model.path).name)
        return original(model)

    monkeypatch.setattr(read_models, "read_model", noted)
    return names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    for number in range(1, 6):
        made = make.make_lora(
            folder / f"bear_v{number}.safetensors", metadata={"number": str(number)}
        )
        make.beside(
            made,
            ".personalq.yaml",
            f"{BEAR}version: {number}\ncreated_at: 2026-0{number}-01T12:00:00Z\n",
        )
    return folder


def test_a_rescan_reads_only_what_changed(folder: Path, tmp_path: Path, read: list[str]) -> None:
    cache = tmp_path / "index.sqlite"
    before = opened(folder, cache=cache)
    assert len(read) == 5
    (folder / "notes.txt").write_text("nothing of a model's")
    assert opened(folder, cache=cache).version == before.version
    assert len(read) == 5
    make.beside(folder / "bear_v3.safetensors", ".personalq.yaml", BEAR + "version: 30")
    after = opened(folder, cache=cache)
    assert read[5:] == ["bear_v3.safetensors"]
    assert after.get("bear_v3").version == "30"
    (folder / "bear_v1.safetensors").unlink()
    assert len(opened(folder, cache=cache).cards) == 4
    assert len(read) == 6


def test_facts_taken_over_are_those_that_would_be_found_anew(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "index.sqlite"
    opened(folder, cache=cache)
    make.beside(
        folder / "bear_v2.safetensors",
        ".personalq.yaml",
        "subjects: [red fox]\nstyles: [anime]\nversion: 7",
    )
    (folder / "bear_v5.safetensors").unlink()
    make.make_lora(folder / "a" / "owl.safetensors")
    rescanned, anew = opened(folder, cache=cache).catalogue(), opened(folder).catalogue()
    assert rescanned.ids == anew.ids
    assert rescanned.cards == anew.cards
    for name in (
        "subjects",
        "styles",
        "words",
        "names",
        "number",
        "display_subjects",
        "raw_subjects",
        "raw_styles",
        "version",
        "kind",
    ):
        mine, theirs = getattr(rescanned.columns, name), getattr(anew.columns, name)
        assert [mine[place] for place in range(5)] == [theirs[place] for place in range(5)], name
        assert set(mine.values) == set(theirs.values), f"{name}: what no card has any more is gone"
    for name in ("created_us", "lineage", "order"):
        assert np.array_equal(getattr(rescanned.columns, name), getattr(anew.columns, name)), name


def test_an_interrupted_scan_goes_on_where_it_stopped(
    folder: Path, tmp_path: Path, read: list[str]
) -> None:
    cache = tmp_path / "index.sqlite"

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(folder, cache=cache, progress=stop)
    with Index.open(cache) as index:
        assert len(index.paths()) == 3
    assert len(opened(folder, cache=cache).cards) == 5
    assert len(read) == len(set(read)) == 5


def test_hashes_are_taken_once_and_kept_as_it_goes(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "index.sqlite"
    calls: list[int] = []

    def stop(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == 5 + 2:  # five files read, two hashed
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(folder, cache=cache, hash_files=True, progress=stop)
    with Index.open(cache) as index:
        first = index.hashes()
    assert len(first) == 2
    cards = opened(folder, cache=cache, hash_files=True).cards
    assert len({card.sha256 for card in cards}) == 5
    assert all(card.sources["sha256"] == "file" for card in cards)
    assert {first[path][1] for path in first} < {card.sha256 for card in cards}
    assert opened(folder, cache=cache).cards == cards, "they stay known"
    make.make_lora(folder / "bear_v1.safetensors", "sdxl")
    assert opened(folder, cache=cache).get("bear_v1").sha256 is None, "the file changed"


def test_copies_are_one_model_and_never_asked_about(folder: Path, tmp_path: Path) -> None:
    copy = folder / "downloads" / "that.safetensors"
    copy.parent.mkdir()
    shutil.copy(folder / "bear_v5.safetensors", copy)
    make.beside(
        copy,
        ".personalq.yaml",
        "subjects: [bear]\nstyles: [anime]\ncreated_at: 2026-05-01T12:00:00Z\n",
    )
    unknown = check_in("my bear", opened(folder), now=NOW)
    assert unknown.outcome == "clarify", "two looks, as far as is known"
    known = check_in("my bear", opened(folder, cache=tmp_path / "i", hash_files=True), now=NOW)
    assert (known.outcome, known.card.id) == ("select", "bear_v5"), "it says more"


def test_of_two_copies_that_say_the_same_the_shorter_path_is_taken() -> None:
    card = Card("far", "/models/old/backup/bear.safetensors", subjects=("bear",), sha256="a" * 64)
    near = Card("near", "/models/bear.safetensors", subjects=("bear",), sha256="a" * 64)
    decision = check_in("the bear", Repository([card, near], embedder=None), now=NOW)
    assert decision.outcome == "select"
    assert decision.card.id == "near"


def test_ids_stay_when_files_and_folders_are_added(tmp_path: Path) -> None:
    cache, one, two = tmp_path / "index.sqlite", tmp_path / "one", tmp_path / "two"
    make.make_lora(one / "a" / "Bear v4.safetensors")
    assert [card.id for card in opened(one, cache=cache).cards] == ["a-bear-v4"]
    make.make_lora(one / "a-bear-v4.safetensors")
    make.make_lora(two / "a" / "Bear v4.safetensors")
    repository = opened(two, one, cache=cache)
    assert repository.get("a-bear-v4").path == str(one / "a" / "Bear v4.safetensors")
    assert len({card.id for card in repository.cards}) == 3
    assert opened(two, one, cache=cache).cards == repository.cards


def test_an_index_of_files_alone_serves_a_cards_jsonl_that_names_them(
    folder: Path, tmp_path: Path
) -> None:
    cache, lines = tmp_path / "index.sqlite", tmp_path / "cards.jsonl"
    opened(folder, cache=cache)
    lines.write_text('{"id": "mine", "path": "models/bear_v1.safetensors", "description": "Bruno"}')
    mine = opened(folder, cards=lines, cache=cache).get("mine")
    assert mine.description == "Bruno"
    assert mine.triggers == ("<bear>",)
    assert mine.kind == "lora"
    assert opened(folder, cards=lines, cache=cache).get("mine") == mine
    (tmp_path / "models" / "bear_v1.personalq.yaml").unlink()
    assert opened(cards=lines, cache=cache).get("mine").triggers == (), (
        "a file that only the line names is watched too"
    )


def test_several_processes_may_write_the_index_at_once(folder: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from personalq.checkin import Repository; print(Repository.open(sys.argv[1], "
        "cache=sys.argv[2], embedder=None, hash_files=True).version)"
    )
    command = [sys.executable, "-c", program, str(folder), str(tmp_path / "index.sqlite")]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    done = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0] * 4, done
    assert len({out for out, _ in done}) == 1
    assert len(opened(folder, cache=tmp_path / "index.sqlite").cards) == 5


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_an_index_that_was_cut_off_is_made_anew(folder: Path, tmp_path: Path, part: float) -> None:
    cache = tmp_path / "index.sqlite"
    cards = opened(folder, cache=cache).cards
    os.truncate(cache, int(cache.stat().st_size * part))
    assert opened(folder, cache=cache).cards == cards
    assert opened(folder, cache=cache).cards == cards


def many(count: int) -> list[Card]:
    cards = []
    for number in range(count):
        thing, look, version = THINGS[number % 10], LOOKS[number // 10 % 5], number // 50 + 1
        cards.append(
            Card(
                f"{thing}-{look}-{version}",
                f"/models/{thing}/{thing}_{look}_v{version}.safetensors",
                triggers=(f"<{thing}{number}>",),
                subjects=(thing,),
                styles=(look,),
                description=f"A {thing} in {look} style, made with {number} pictures.",
                created_at=NOW - timedelta(hours=number + 1),
                version=str(version),
                lineage=f"{thing} {look}",
            )
        )
    return cards


def test_decisions_among_ten_thousand_take_milliseconds() -> None:
    repository = Repository(many(10_000), embedder=None)
    expected = {
        "the newest watercolour dog": "select",
        "sketch horse v44 by the sea": "select",
        "a bear in the rain": "clarify",
        "a model that is not a cartoon": "clarify",
        "my lattest watercolor house": "select",
        "a cartoon submarine": "no_match",
        "an SDXL watercolour cat v900 from March 2019": "no_match",
    }
    for text, outcome in expected.items():
        decision = check_in(text, repository, now=NOW)
        assert decision.outcome == outcome, f"{text}: {decision.why}"
        seconds = []
        for _ in range(3):
            started = time.process_time()
            check_in(text, repository, now=NOW)
            seconds.append(time.process_time() - started)
        assert statistics.median(seconds) < 0.2, f"{text}: 0.01 s on two idle cores"
