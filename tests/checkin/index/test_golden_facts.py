"""Test that facts change only with FACTS_VERSION, and that old indexes rebuild theirs."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from personalq.checkin.index import store
from personalq.tests.checkin.index.golden_facts import GOLDEN, found_facts
from personalq.tests.checkin.index.opening import make_unreadable, opened

HOW = (
    "Cards or facts that are made of the same files have changed, so that indexes on disk hold "
    "others. If that is meant: raise FACTS_VERSION in checkin/index/store.py (and FORMAT, where "
    "readers read more than before), then rewrite the golden file with "
    "`python -P -m personalq.tests.checkin.index.golden_facts`."
)


def test_facts_are_those_of_their_version() -> None:
    golden, found = json.loads(GOLDEN.read_text("utf-8")), found_facts()
    names = golden["models"].keys() | found["models"].keys()
    other = sorted(
        name for name in names if golden["models"].get(name) != found["models"].get(name)
    )
    assert other == [], HOW
    assert found == golden, HOW


def test_another_version_of_facts_is_made_anew_without_reading_a_file(
    folder: Path, tmp_path: Path, monkeypatch
) -> None:
    first = opened(folder, cache=tmp_path / "index.sqlite")
    make_unreadable(folder)
    monkeypatch.setattr(store, "FACTS_VERSION", store.FACTS_VERSION + 1)
    second = opened(folder, cache=tmp_path / "index.sqlite")
    assert second.cards == first.cards
    assert second.notices == ()


def test_an_index_from_before_the_version_is_made_anew_without_reading_a_file(
    folder: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "index.sqlite"
    first = opened(folder, cache=cache)
    make_unreadable(folder)
    with sqlite3.connect(cache) as connection:
        connection.execute("DELETE FROM snapshot WHERE name = 'facts version'")
        connection.execute("INSERT INTO snapshot VALUES ('meaning', ?)", (bytes(16),))
        connection.execute("UPDATE snapshot SET name = 'made' WHERE name = 'created_us'")
    connection.close()
    assert opened(folder, cache=cache).cards == first.cards
    assert len(opened(folder, cache=cache).cards) == 1
