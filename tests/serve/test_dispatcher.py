"""Test that the dispatcher draws every accepted job once, whatever happens to painters."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy comes with ComfyUI")

from personalq.serve import dispatcher as room
from personalq.serve.dispatcher import Dispatcher, Draw, Event, Failed, Offered, Picture, Progress
from personalq.serve.job import Job
from personalq.serve.painter import PainterGone
from personalq.serve.store import Store
from personalq.tests.serve.service import make_job

PATIENCE = 20.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    yield store
    store.close()


def states(store: Store, number: int) -> list[str]:
    found = [store.get(f"job-{one:04}", "") for one in range(number)]
    return [one.state for one in found if one]


def run(store: Store, draw: Draw, until: Callable[[], bool], most: int = 8) -> None:
    """Run a dispatcher until something is so."""

    async def main() -> bool:
        one = asyncio.create_task(Dispatcher(store, draw, most, keep_days=1).run())
        end = time.monotonic() + PATIENCE
        while not until() and time.monotonic() < end and not one.done():
            await asyncio.sleep(0.02)
        reached = until()
        one.cancel()
        await asyncio.gather(one, return_exceptions=True)
        return reached

    assert asyncio.run(main())


def accept(store: Store, number: int) -> None:
    for one in range(number):
        store.add(make_job(f"job-{one:04}"), {})


def test_painters_that_end_lose_no_job(store: Store) -> None:
    """Every second painter ends while it draws."""
    accept(store, 12)
    tried: dict[str, int] = {}

    async def draw(job: Job) -> AsyncIterator[Event]:
        tried[job.id] = tried.get(job.id, 0) + 1
        yield Progress()
        yield Progress(1, 2)
        if tried[job.id] == 1 and job.id[-1] in "02468":
            raise PainterGone
        yield Picture("image/png", job.id.encode())

    run(store, draw, lambda: states(store, 12) == ["done"] * 12)
    for one in tried:
        assert store.picture(one) == ("image/png", one.encode())
    assert sum(tried.values()) == 12 + 6


@pytest.mark.parametrize(
    ("last", "why"),
    [
        (Progress(), "5 painters ended while they drew this."),
        (Offered(), "No painter could draw this in 5 tries."),
    ],
)
def test_a_job_that_ends_or_refuses_every_painter_fails_with_a_sentence(
    store: Store, monkeypatch: pytest.MonkeyPatch, last: Event, why: str
) -> None:
    monkeypatch.setattr(room, "_PAUSE", 0.0)
    monkeypatch.setattr(room, "_ROUND", 0.02)
    accept(store, 1)
    tried = []

    async def draw(job: Job) -> AsyncIterator[Event]:
        tried.append(job.attempts)
        yield last
        raise PainterGone

    run(store, draw, lambda: states(store, 1) == ["failed"])
    assert tried == [0, 1, 2, 3, 4]
    found = store.get("job-0000", "")
    assert found
    assert found.error == why


def test_a_job_waits_for_painters_that_are_not_there_yet(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_PAUSE", 0.0)
    monkeypatch.setattr(room, "_ROUND", 0.02)
    accept(store, 1)
    tried: list[str] = []

    async def draw(job: Job) -> AsyncIterator[Event]:
        tried.append(job.id)
        if len(tried) < 3 * room.MAX_ATTEMPTS:
            raise PainterGone
        yield Picture("image/png", b"p")

    run(store, draw, lambda: states(store, 1) == ["done"])


def test_to_wait_behind_others_is_no_try(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_PAUSE", 0.0)
    monkeypatch.setattr(room, "_ROUND", 0.02)
    accept(store, 1)
    tried: list[int] = []

    async def draw(job: Job) -> AsyncIterator[Event]:
        tried.append(job.attempts)
        yield Offered()
        yield Offered(taken=True)
        if len(tried) < 3 * room.MAX_ATTEMPTS:
            raise PainterGone
        yield Picture("image/png", b"p")

    run(store, draw, lambda: states(store, 1) == ["done"])
    assert set(tried) == {0}


def test_what_cannot_be_drawn_is_not_tried_again(store: Store) -> None:
    accept(store, 1)
    tried = []

    async def draw(job: Job) -> AsyncIterator[Event]:
        tried.append(job.id)
        yield Progress()
        yield Failed("no such base")

    run(store, draw, lambda: states(store, 1) == ["failed"])
    assert len(tried) == 1


@pytest.mark.parametrize("turns", range(4))
def test_a_dispatcher_that_is_woken_and_stopped_at_once_ends(store: Store, turns: int) -> None:
    """`asyncio.wait_for` forgot the cancellation where the event was set just before it."""

    async def never(job: Job) -> AsyncIterator[Event]:
        yield Progress()

    async def main() -> None:
        dispatcher = Dispatcher(store, never, 1, keep_days=1)
        running = asyncio.create_task(dispatcher.run())
        await asyncio.sleep(0.2)  # until it waits to be woken
        dispatcher._wake.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        running.cancel()
        done, _ = await asyncio.wait({running}, timeout=3)
        assert done == {running}, "it runs on"

    asyncio.run(main())


def test_a_dispatcher_that_is_stopped_gives_its_jobs_back(store: Store) -> None:
    accept(store, 2)

    async def never(job: Job) -> AsyncIterator[Event]:
        yield Progress()
        await asyncio.sleep(PATIENCE)

    run(store, never, lambda: states(store, 2) == ["drawing", "drawing"])
    assert states(store, 2) == ["waiting", "waiting"]
    assert len(store.claim("another", 9, 60)) == 2


def test_no_more_than_its_number_at_once(store: Store) -> None:
    accept(store, 6)
    now, most = [0], [0]

    async def draw(job: Job) -> AsyncIterator[Event]:
        now[0] += 1
        most[0] = max(most[0], now[0])
        await asyncio.sleep(0.05)
        now[0] -= 1
        yield Picture("image/png", b"p")

    run(store, draw, lambda: states(store, 6) == ["done"] * 6, most=2)
    assert most == [2]


def test_a_store_that_was_away_loses_no_job(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture cannot be stored and the job cannot be given back: its lease runs out."""
    monkeypatch.setattr(room, "_ROUND", 0.05)
    monkeypatch.setattr(room, "LEASE", 2.0)
    accept(store, 1)
    away, tried = [True, True], []

    def once(real: Callable[..., object]) -> Callable[..., object]:
        def call(*values: object) -> object:
            if away and away.pop():
                raise OSError("no connection")
            return real(*values)

        return call

    monkeypatch.setattr(store, "finish", once(store.finish))
    monkeypatch.setattr(store, "release", once(store.release))

    async def draw(job: Job) -> AsyncIterator[Event]:
        tried.append(job.id)
        yield Picture("image/png", b"p")

    run(store, draw, lambda: states(store, 1) == ["done"])
    assert (len(tried), away) == (2, [])
