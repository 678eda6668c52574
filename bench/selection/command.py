"""What `personalq bench selection` does."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...checkin import Repository
from ..repo_prompts import NOW, write
from .everything import SEED, run_everything
from .instances import read_instances
from .report import table
from .run import judge


def one(method: str, cards: Path | None, queries: Path | None, now: str | None) -> dict[str, Any]:
    """A method judged on queries over a repository; on Repo-Prompts where no files are given.

    Raises ValueError where only one of cards, queries and now is given, and for files that cannot be used.
    """
    given = [cards, queries, now]
    if not any(given):
        with TemporaryDirectory() as folder:
            made = write(Path(folder), SEED)
            repository = Repository.open(cards=made / "cards.jsonl")
            return judge(method, read_instances(made / "queries.jsonl"), repository, NOW)
    if cards is None or queries is None or now is None:
        raise ValueError("give --cards, --queries and --now together, or none of them")
    moment = datetime.fromisoformat(now)
    if moment.tzinfo is None:
        raise ValueError(f"--now {now} has no time zone: write 2025-05-15T12:00+00:00")
    return judge(method, read_instances(queries), Repository.open(cards=cards), moment)


def everything() -> str:
    """All methods; returns the text that was written."""
    return run_everything()


def summary(result: dict[str, Any]) -> str:
    """The row of one method, and its accuracy by kind."""
    kinds = result["totals"]["kinds"].items()
    lines = [f"- {name}: {found['right']} of {found['of']} ({found['share']:.1%})" for name, found in kinds]
    return "\n".join([table([result]), "", *lines])
