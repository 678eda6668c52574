"""Has accepted jobs drawn: takes their leases, gives them to painters, stores what comes back."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from ..checkin.lexicon.sentences import say
from .job import Job
from .store import Store

LEASE = 10.0
"""Seconds until another process may take a job whose holder is gone."""
MAX_ATTEMPTS = 5
"""A job that was begun or not taken so often, and never drawn, has failed: it may be what ends the
painters. To wait for its turn is no attempt.
"""
_PAUSE = 0.5
"""Seconds before a job whose painter is gone is given to another."""
_ROUND = 1.0
_HOUR = 3600.0

logger = logging.getLogger("personalq.serve")


@dataclass(frozen=True)
class Offered:
    """A painter asks its ComfyUI to take the job; once it is `taken`, it waits for its turn."""

    taken: bool = False


@dataclass(frozen=True)
class Progress:
    """Sampling steps done, and in all; 0 of 0 when a painter begins."""

    step: int = 0
    steps: int = 0


@dataclass(frozen=True)
class Picture:
    """The end of a job."""

    kind: str
    """Media type."""
    data: bytes


@dataclass(frozen=True)
class Failed:
    """The job cannot be drawn by any painter; why, in a sentence."""

    why: str


Event = Offered | Progress | Picture | Failed
Draw = Callable[[Job], AsyncIterator[Event]]
"""Draws a job: gives Offered and Progress, then one Picture or Failed. Raises anything if the
painter is gone.
"""


class Dispatcher:
    """Draws the jobs of a store, `most` at a time, until it is cancelled."""

    def __init__(self, store: Store, draw: Draw, most: int, keep_days: float):
        self.name = uuid.uuid4().hex
        self._store, self._draw, self._most, self._keep = store, draw, most, keep_days
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._cleaned = 0.0

    def wake(self) -> None:
        """Look for jobs at once. Any thread may call it."""
        self._loop.call_soon_threadsafe(self._wake.set)

    async def run(self) -> None:
        """Take jobs and have them drawn; a store that is away for a while is tried again."""
        renewing = asyncio.create_task(self._renew())
        try:
            while True:
                self._wake.clear()
                try:
                    await self._take()
                except Exception:
                    logger.exception("the store cannot be used; trying again")
                try:  # asyncio.wait_for forgets a cancellation that comes with the event
                    async with asyncio.timeout(_ROUND):
                        await self._wake.wait()
                except TimeoutError:
                    continue
        finally:
            renewing.cancel()
            await self._give_back()

    async def _take(self) -> None:
        if time.time() - self._cleaned > _HOUR:
            self._cleaned = time.time()
            before = time.time() - self._keep * 24 * _HOUR
            await asyncio.to_thread(self._store.forget, before)
        free = self._most - len(self._tasks)
        for job in await asyncio.to_thread(self._store.claim, self.name, free, LEASE):
            task = asyncio.create_task(self._one(job))
            self._tasks[job.id] = task
            task.add_done_callback(partial(self._forget, job.id))

    def _forget(self, job_id: str, _: asyncio.Task[None]) -> None:
        self._tasks.pop(job_id, None)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE / 4)
            try:
                await asyncio.to_thread(self._store.renew, self.name, list(self._tasks), LEASE)
            except Exception:
                logger.exception("leases cannot be renewed; trying again")

    async def _one(self, job: Job) -> None:
        """Have one job drawn. What goes wrong on the way gives it back, for another painter."""
        last: Event | None = None
        try:
            async with aclosing(self._draw(job)) as events:  # type: ignore[type-var]
                async for event in events:
                    last = event
                    if await self._note(job, event):
                        self._wake.set()
                        return
            raise EOFError("the painter ended without a picture")
        except Exception as error:
            logger.warning("job %s goes to another painter: %s", job.id, type(error).__name__)
            await self._again(job, last)

    async def _again(self, job: Job, last: Event | None) -> None:
        """Give a job back whose painter is gone after the event `last`, or have it fail."""
        refused = last == Offered()
        if refused:
            await asyncio.to_thread(self._store.begin, job.id, self.name)
        waited = last in (None, Offered(taken=True))
        if waited or job.attempts + 1 < MAX_ATTEMPTS:
            await asyncio.to_thread(self._store.release, self.name, job.id, _PAUSE)
            return
        why = say("{number} painters ended while they drew this.", number=MAX_ATTEMPTS)
        if refused:
            why = say("No painter could draw this in {number} tries.", number=MAX_ATTEMPTS)
        await asyncio.to_thread(self._store.fail, job.id, why)

    async def _note(self, job: Job, event: Event) -> bool:
        """Store an event; says whether it was the last."""
        store = self._store
        match event:
            case Progress(0, 0):
                await asyncio.to_thread(store.begin, job.id, self.name)
            case Progress(step, steps):
                await asyncio.to_thread(store.progress, job.id, self.name, step, steps)
            case Picture(kind, data):
                await asyncio.to_thread(store.finish, job.id, kind, data)
            case Failed(why):
                await asyncio.to_thread(store.fail, job.id, why)
        return isinstance(event, Picture | Failed)

    async def _give_back(self) -> None:
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await asyncio.to_thread(self._store.release, self.name)
