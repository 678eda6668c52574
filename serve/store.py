"""Accepted jobs and their pictures, in SQLite or any database that SQLAlchemy reaches.

Whoever has a job drawn holds a lease on it and renews it. When that process ends, the lease runs
out and another one takes the job: nothing that was accepted is lost, and the first picture counts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    Column,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.engine import Row
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from .job import FINISHED, Job, Task

_WAIT = 30.0
"""Seconds that one process waits for another's write, in SQLite."""
_RECENT = 20
"""The mean time of a job is that of so many finished last."""

_tables = MetaData()
_jobs = Table(
    "personalq_jobs",
    _tables,
    Column("id", String(64), primary_key=True),
    Column("owner", String(100), nullable=False, index=True),
    Column("asked", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("step", Integer, nullable=False, default=0),
    Column("steps", Integer, nullable=False, default=0),
    Column("attempts", Integer, nullable=False, default=0),
    Column("error", Text, nullable=False, default=""),
    Column("created", Float, nullable=False, index=True),
    Column("started", Float),
    Column("finished", Float, index=True),
    Column("holder", String(64), nullable=False, default=""),
    Column("lease", Float, nullable=False, default=0.0),
)
_pictures = Table(
    "personalq_pictures",
    _tables,
    Column("job", String(64), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("data", LargeBinary, nullable=False),
)
_open = _jobs.c.state.not_in(FINISHED)


class Conflict(ValueError):
    """A job has this id, and it was asked for something else or by somebody else."""


class NoStore(ValueError):
    """The database cannot be opened; the message says what to do."""


class Store:
    """The jobs of a service. Thread-safe, and safe for several processes."""

    def __init__(self, url: str):
        """Open or make the database. Raises NoStore."""
        try:
            self._engine = create_engine(
                url, pool_pre_ping=True, connect_args=_arguments(url), hide_parameters=True
            )
            if self._engine.dialect.name == "sqlite":
                event.listen(self._engine, "connect", _for_several)
            _tables.create_all(self._engine)
        except (SQLAlchemyError, ImportError) as error:
            kind = url.partition(":")[0]
            why = str(getattr(error, "orig", None) or error).splitlines()[0]
            raise NoStore(
                f"the store ({kind}) cannot be opened: {why}. Name one as --store "
                "sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE, and install "
                "its driver."
            ) from None

    def add(self, job: Job, asked: dict[str, Any]) -> Job:
        """Accept a job. One with the same id and the same question comes back as it is.

        Raises Conflict if another question has the id.
        """
        text = json.dumps(asked, sort_keys=True)
        values = {
            "id": job.id,
            "owner": job.owner,
            "asked": text,
            "task": json.dumps(job.task.as_dict()),
            "state": job.state,
            "created": time.time(),
        }
        try:
            with self._engine.begin() as database:
                database.execute(insert(_jobs).values(values))
        except IntegrityError:
            return self.accepted(job.id, job.owner, asked) or job
        return job

    def accepted(self, job_id: str, owner: str, asked: dict[str, Any]) -> Job | None:
        """The job that this very question was accepted as; None for a new id. Raises Conflict."""
        row = self._row(job_id)
        if row is None:
            return None
        if row.owner != owner or row.asked != json.dumps(asked, sort_keys=True):
            raise Conflict(job_id)
        return _job(row)

    def get(self, job_id: str, owner: str) -> Job | None:
        """The job of this owner with the id."""
        row = self._row(job_id)
        return _job(row) if row is not None and row.owner == owner else None

    def picture(self, job_id: str) -> tuple[str, bytes] | None:
        """(media type, bytes) of a finished job's picture."""
        with self._engine.connect() as database:
            row = database.execute(select(_pictures).where(_pictures.c.job == job_id)).first()
        return (row.kind, row.data) if row else None

    def unfinished(self, owner: str | None = None) -> int:
        """How many jobs are not finished; those of one owner, or all."""
        count = select(func.count()).select_from(_jobs).where(_open)
        with self._engine.connect() as database:
            found = count if owner is None else count.where(_jobs.c.owner == owner)
            return database.execute(found).scalar_one()

    def mean_seconds(self) -> float:
        """How long a painter needs for a job, by the last ones; 1 before the first."""
        last = (
            select(_jobs.c.started, _jobs.c.finished)
            .where(_jobs.c.state == "done")
            .order_by(_jobs.c.finished.desc())
            .limit(_RECENT)
        )
        with self._engine.connect() as database:
            spans = [row.finished - row.started for row in database.execute(last) if row.started]
        return sum(spans) / len(spans) if spans else 1.0

    def claim(self, holder: str, number: int, seconds: float) -> list[Job]:
        """Take the lease of up to `number` jobs that nobody holds, the oldest first."""
        now = time.time()
        free = select(_jobs.c.id).where(_open, _jobs.c.lease < now).order_by(_jobs.c.created)
        taken = []
        with self._engine.connect() as database:
            waiting = [row.id for row in database.execute(free.limit(max(number, 0)))]
        for job_id in waiting:
            mine = update(_jobs).where(_jobs.c.id == job_id, _open, _jobs.c.lease < now)
            if self._change(mine.values(holder=holder, lease=now + seconds)):
                taken.append(job_id)
        return [_job(row) for one in taken if (row := self._row(one)) is not None]

    def renew(self, holder: str, job_ids: Sequence[str], seconds: float) -> None:
        """Keep the leases of these jobs, as far as `holder` has them still."""
        mine = update(_jobs).where(_jobs.c.holder == holder, _open, _jobs.c.id.in_(job_ids))
        self._change(mine.values(lease=time.time() + seconds))

    def begin(self, job_id: str, holder: str) -> None:
        """Note that a painter draws the job."""
        one = update(_jobs).where(_jobs.c.id == job_id, _jobs.c.holder == holder, _open)
        self._change(
            one.values(
                state="drawing",
                attempts=_jobs.c.attempts + 1,
                started=time.time(),
                step=0,
                steps=0,
            )
        )

    def progress(self, job_id: str, holder: str, step: int, steps: int) -> None:
        """Note how far it is."""
        one = update(_jobs).where(_jobs.c.id == job_id, _jobs.c.holder == holder, _open)
        self._change(one.values(step=step, steps=steps))

    def release(self, holder: str, job_id: str | None = None, pause: float = 0.0) -> None:
        """Give a job back, or all jobs of `holder`: after `pause` seconds anybody may take it."""
        mine = update(_jobs).where(_jobs.c.holder == holder, _open)
        one = mine if job_id is None else mine.where(_jobs.c.id == job_id)
        later = time.time() + pause if pause else 0.0
        self._change(one.values(state="waiting", holder="", lease=later))

    def finish(self, job_id: str, kind: str, picture: bytes) -> bool:
        """Store the picture, unless the job is finished already. Says whether it counted."""
        now = time.time()
        done = update(_jobs).where(_jobs.c.id == job_id, _open)
        with self._engine.begin() as database:
            if database.execute(done.values(state="done", finished=now, holder="")).rowcount != 1:
                return False
            database.execute(insert(_pictures).values(job=job_id, kind=kind, data=picture))
        return True

    def fail(self, job_id: str, error: str) -> None:
        """Note in a sentence why it cannot be drawn."""
        one = update(_jobs).where(_jobs.c.id == job_id, _open)
        self._change(one.values(state="failed", error=error, finished=time.time(), holder=""))

    def forget(self, before: float) -> None:
        """Remove jobs that were finished before this time, with their pictures."""
        old = select(_jobs.c.id).where(_jobs.c.finished < before)
        with self._engine.begin() as database:
            database.execute(delete(_pictures).where(_pictures.c.job.in_(old)))
            database.execute(delete(_jobs).where(_jobs.c.finished < before))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _row(self, job_id: str) -> Row[Any] | None:
        with self._engine.connect() as database:
            return database.execute(select(_jobs).where(_jobs.c.id == job_id)).first()

    def _change(self, statement: Any) -> int:
        with self._engine.begin() as database:
            return database.execute(statement).rowcount


def _job(row: Row[Any]) -> Job:
    spent = round(row.finished - row.created, 2) if row.state == "done" else None
    return Job(
        row.id,
        row.owner,
        Task.of(json.loads(row.task)),
        row.state,
        row.step,
        row.steps,
        row.attempts,
        row.error,
        spent,
    )


def _arguments(url: str) -> dict[str, Any]:
    return {"timeout": _WAIT} if url.startswith("sqlite") else {}


def _for_several(connection: Any, _: object) -> None:
    """SQLite for several readers beside one writer."""
    commands: Sequence[str] = ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL")
    for command in commands:
        connection.execute(command)
