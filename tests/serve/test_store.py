"""Test that accepted jobs are never lost, drawn twice or mixed up, by several processes too."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy comes with ComfyUI")

from sqlalchemy import create_engine, text

from personalq.serve import store as store_module
from personalq.serve.store import Conflict, NoStore, Store
from personalq.tests.serve.service import make_job

ASKED = {"request": "my bear"}


@pytest.fixture(params=["SQLite", "another database"])
def url(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A store without jobs; the other one is emptied."""
    if request.param == "SQLite":
        return f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    other = os.environ.get("PERSONALQ_TEST_STORE", "")
    if not other:
        pytest.skip("PERSONALQ_TEST_STORE names no database whose jobs may be removed")
    engine = create_engine(other)
    with engine.begin() as database:
        database.execute(text("DROP TABLE IF EXISTS personalq_jobs, personalq_pictures"))
    engine.dispose()
    return other


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = Store(url)
    yield store
    store.close()


class Clock:
    """The store's time, which goes on when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def time(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(store_module, "time", clock)
    return clock


def test_a_job_is_there_after_a_restart(store: Store, url: str) -> None:
    store.add(make_job(owner="anna"), ASKED)
    store.close()
    again = Store(url)
    assert again.get("job-0001", "anna") == make_job(owner="anna")
    assert again.get("job-0001", "bert") is None
    again.close()


def test_the_same_question_with_the_same_id_is_the_same_job(store: Store) -> None:
    store.add(make_job(), ASKED)
    store.finish("job-0001", "image/png", b"first")
    assert store.add(make_job(), ASKED).state == "done"
    with pytest.raises(Conflict):
        store.add(make_job(), {"request": "my dog"})
    with pytest.raises(Conflict):
        store.add(make_job(owner="bert"), ASKED)


def test_a_lease_is_held_by_one_and_runs_out(store: Store, clock: Clock) -> None:
    for number in range(3):
        store.add(make_job(f"job-{number:04}"), ASKED)
    assert [one.id for one in store.claim("a", 2, 30)] == ["job-0000", "job-0001"]
    assert [one.id for one in store.claim("b", 9, 60)] == ["job-0002"]
    clock.wait(20)
    store.renew("a", ["job-0000", "job-0001"], 30)
    clock.wait(20)
    assert store.claim("b", 9, 60) == []
    clock.wait(20)
    assert [one.id for one in store.claim("b", 9, 60)] == ["job-0000", "job-0001"]


def test_each_job_is_claimed_once_by_many_at_once(store: Store, url: str) -> None:
    for number in range(40):
        store.add(make_job(f"job-{number:04}"), ASKED)
    taken: list[str] = []

    def claim(name: str) -> None:
        other = Store(url)
        for _ in range(10):
            taken.extend(one.id for one in other.claim(name, 5, 60))
        other.close()

    threads = [threading.Thread(target=claim, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [f"job-{number:04}" for number in range(40)]


def test_the_first_picture_counts(store: Store) -> None:
    store.add(make_job(), ASKED)
    assert store.finish("job-0001", "image/png", b"first")
    assert not store.finish("job-0001", "image/png", b"second")
    store.fail("job-0001", "too late")
    assert store.picture("job-0001") == ("image/png", b"first")
    found = store.get("job-0001", "")
    assert found
    assert (found.state, found.error) == ("done", "")


def test_a_job_that_was_given_back_waits_its_pause(store: Store, clock: Clock) -> None:
    store.add(make_job(), ASKED)
    store.claim("a", 1, 60)
    store.begin("job-0001", "a")
    store.release("a", "job-0001", pause=30)
    assert store.claim("b", 1, 60) == []
    clock.wait(31)
    (job,) = store.claim("b", 1, 60)
    assert (job.state, job.attempts) == ("waiting", 1)


def test_progress_of_a_holder_that_lost_its_job_does_not_count(store: Store, clock: Clock) -> None:
    store.add(make_job(), ASKED)
    store.claim("a", 1, 10)
    clock.wait(11)
    store.claim("b", 1, 60)
    store.progress("job-0001", "b", 3, 20)
    store.progress("job-0001", "a", 9, 20)
    found = store.get("job-0001", "")
    assert found
    assert found.step == 3


def test_counts_and_forgetting(store: Store) -> None:
    store.add(make_job("job-0001", "anna"), ASKED)
    store.add(make_job("job-0002", "bert"), ASKED)
    assert (store.unfinished(), store.unfinished("anna")) == (2, 1)
    store.claim("a", 2, 60)
    store.begin("job-0001", "a")
    store.finish("job-0001", "image/png", b"p")
    assert (store.unfinished(), store.unfinished("anna")) == (1, 0)
    assert store.mean_seconds() < 1
    store.forget(time.time() + 1)
    assert store.get("job-0001", "anna") is None
    assert store.picture("job-0001") is None
    assert store.get("job-0002", "bert")


@pytest.mark.parametrize("url", ["postgresql+nodriver://u:secret@h/d", "sqlite:////nowhere/x/y"])
def test_a_store_that_cannot_be_opened_says_what_to_do_and_no_password(url: str) -> None:
    with pytest.raises(NoStore, match="--store") as raised:
        Store(url)
    assert "secret" not in str(raised.value)
