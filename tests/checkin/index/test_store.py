"""Test that the index reads what changed, and nothing else."""

from __future__ import annotations

import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from personalq.checkin.index import hashes
from personalq.checkin.index.build_index import UnusableIndex
from personalq.checkin.index.ours import is_index
from personalq.checkin.index.read_models import read_models
from personalq.checkin.index.repository import EmptyRepository, Repository
from personalq.checkin.index.snapshot import StoredCards
from personalq.checkin.index.store import Index
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.index.opening import make_unreadable


def opened(folder: Path, cache: Path) -> Repository:
    return Repository.open(folder, cache=cache, embedder=None)


def known(cache: Path) -> set[str]:
    with Index.open(cache) as index:
        return set(index.rows())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    make.make_checkpoint(folder / "base.safetensors")
    make.beside(
        make.make_lora(folder / "loras" / "bear.safetensors"), ".personalq.yaml", "version: 1"
    )
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "index.json"


def test_second_scan_reads_no_model(folder: Path, cache: Path) -> None:
    first = opened(folder, cache)
    written = cache.stat().st_mtime_ns
    make_unreadable(folder)
    second = opened(folder, cache)
    assert second.cards == first.cards
    assert second.version == first.version
    assert second.notices == ()
    assert cache.stat().st_mtime_ns == written, "nothing changed, nothing written"


def test_sources_that_cards_share_are_stored_once(folder: Path, cache: Path) -> None:
    for number in range(9):
        make.make_lora(folder / "loras" / f"cat_v{number}.safetensors")
    cards = opened(folder, cache).cards
    assert isinstance(cards, StoredCards)
    assert b'"file name"' not in cards.lines
    assert len(cards.sources.values) == len({str(card.sources) for card in cards}) < len(cards)
    assert {card.sources["version"] for card in cards if card.version} == {"file name", "sidecar"}
    assert opened(folder, cache).cards == cards


def test_changes_are_seen(folder: Path, cache: Path) -> None:
    versions = [opened(folder, cache).version]

    def changed() -> Repository:
        repository = opened(folder, cache)
        versions.append(repository.version)
        return repository

    bear = folder / "loras" / "bear.safetensors"
    make.beside(bear, ".personalq.yaml", "version: 22")
    assert changed().get("loras-bear").version == "22"
    make.beside(bear, ".preview.png")
    assert changed().get("loras-bear").previews == (str(folder / "loras" / "bear.preview.png"),)
    make.beside(bear, ".json", make.A1111)
    assert changed().get("loras-bear").triggers == ("sks bear", "plush")
    make.make_lora(bear, "sdxl")
    assert changed().get("loras-bear").base_model == "sdxl"
    (folder / "loras" / "bear.json").unlink()
    assert changed().get("loras-bear").triggers == ()
    make.make_lora(folder / "new.safetensors")
    assert [card.id for card in changed().cards] == ["base", "new", "loras-bear"]
    bear.unlink()
    assert (
        "bear.personalq.yaml: the model that it describes (bear.safetensors) is not there"
        in changed().notices[0]
    )
    assert len(set(versions)) == len(versions), "each change is another version"
    assert known(cache) == {str(folder / "base.safetensors"), str(folder / "new.safetensors")}, (
        "what is gone leaves it"
    )


def test_notices_are_kept(folder: Path, cache: Path) -> None:
    make.make_vae(folder / "vae.safetensors")
    (folder / "loras" / "cut.safetensors").write_bytes(b"\xff" * 100)
    make.beside(folder / "loras" / "bear.safetensors", ".json", "{")
    first = opened(folder, cache).notices
    assert len(first) == 3
    assert opened(folder, cache).notices == first


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"format": "personalq index 2", "models": {}}',
        b"\xff" * 5000,
        b"SQLite format 3\0" + bytes(200),
    ],
)
def test_broken_or_foreign_cache_is_rebuilt(folder: Path, cache: Path, content: bytes) -> None:
    cache.parent.mkdir()
    cache.write_bytes(content)
    assert len(opened(folder, cache).cards) == 2
    assert len(known(cache)) == 2


def make_database_of_something_else(cache: Path) -> None:
    cache.parent.mkdir(exist_ok=True)
    with sqlite3.connect(cache) as connection:
        connection.execute("CREATE TABLE models (whatever)")
        connection.execute("CREATE TABLE other (whatever)")
    connection.close()


def test_database_of_something_else_is_rebuilt(folder: Path, cache: Path) -> None:
    make_database_of_something_else(cache)
    assert len(opened(folder, cache).cards) == len(known(cache)) == 2


def test_a_file_that_was_named_is_an_index_or_refused(folder: Path, cache: Path) -> None:
    notes = cache.with_name("notes.md")
    make_database_of_something_else(cache)
    notes.write_text("my notes", "utf-8")
    for other in (cache, notes):
        before = other.read_bytes()
        with pytest.raises(UnusableIndex, match="is no index of PersonalQ: name another file"):
            Repository.open(folder, cache=other, embedder=None, named=True)
        assert other.read_bytes() == before


def test_an_index_that_was_named_is_rebuilt_when_it_is_damaged(folder: Path, cache: Path) -> None:
    for at, damage in ((0, b"\xff"), (100, bytes(400)), (100, b"\xff" * 9000), (0, b"")):
        cache.unlink(missing_ok=True)
        opened(folder, cache)
        with cache.open("r+b") as file:
            file.seek(at)
            file.write(damage) if damage else file.truncate()
        found = Repository.open(folder, cache=cache, embedder=None, named=True)
        assert len(found.cards) == len(known(cache)) == 2


def test_a_place_that_was_named_and_cannot_be_used_is_said(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "file" / "index.sqlite"
    place.parent.touch()
    assert len(opened(folder, place).cards) == 2
    for cache in (place, folder):
        with pytest.raises(UnusableIndex, match=r"cannot be used \(.+\): name another file"):
            Repository.open(folder, cache=cache, embedder=None, named=True)


def test_an_index_without_our_mark_is_known_by_its_tables(folder: Path, cache: Path) -> None:
    opened(folder, cache)
    with sqlite3.connect(cache) as connection:
        connection.execute("PRAGMA application_id = 0")
    connection.close()
    assert is_index(cache)


def test_hashes_outlive_a_disk_that_is_not_mounted(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository.open(folder, cache=cache, embedder=None, hash_files=True)
    away = folder.rename(folder.with_name("away"))
    folder.mkdir()
    with pytest.raises(EmptyRepository):
        opened(folder, cache)
    folder.rmdir()
    away.rename(folder)
    monkeypatch.setattr(hashes, "_digest", lambda path: pytest.fail(f"{path} is read again"))
    assert len(Repository.open(folder, cache=cache, embedder=None, hash_files=True).cards) == 2


def test_without_a_cache_nothing_is_written(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    Repository.open(folder, embedder=None)
    assert sorted(folder.rglob("*")) == before


def test_progress_counts_models(folder: Path, cache: Path) -> None:
    calls: list[tuple[int, int]] = []
    Repository.open(
        folder, cache=cache, embedder=None, progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(1, 2), (2, 2)]
    with Index.open(None) as index:
        assert (
            read_models([], index, lambda done, total: pytest.fail("no model, no progress")) == {}
        )


def test_rescan_of_a_thousand_models_is_not_felt(tmp_path: Path, cache: Path) -> None:
    original = make.make_lora(tmp_path / "one.safetensors", metadata=make.KOHYA)
    folder = tmp_path / "many"
    for concept in range(20):
        (folder / f"concept{concept}").mkdir(parents=True)
        for version in range(50):
            model = folder / f"concept{concept}" / f"thing_v{version}.safetensors"
            shutil.copy(original, model)
            make.beside(
                model, ".personalq.yaml", f"triggers: <thing-v{version}>\nsubjects: [thing]"
            )
            make.beside(model, ".preview.png")
    opened(folder, cache)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        assert len(opened(folder, cache).cards) == 1000
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.5
