"""`personalq bench selection`: evaluate one selector on queries, or all of them."""

from __future__ import annotations

import argparse
import json
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...checkin import Repository
from ...checkin.llm import NoAnswer, Profile, profile_named
from ...checkin.user.settings import settings_folder
from ..repo_prompts import NOW, write
from ..result_file import make_ready
from . import llm_judge
from .everything import SEED, run_everything
from .instances import Instance, read_instances
from .report import table
from .run import judge


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench selection`."""
    parser.add_argument(
        "--cards", type=Path, metavar="CARDS.JSONL", help="default: Repo-Prompts itself"
    )
    parser.add_argument("--queries", type=Path, metavar="QUERIES.JSONL")
    parser.add_argument("--now", metavar="ISO", help="the moment of asking, with a zone")
    parser.add_argument(
        "--method", help="checkin (the default), bm25, ...; an unknown one lists them"
    )
    parser.add_argument(
        "--llm",
        metavar="PROFILE",
        help="a language model, for checkin-llm, stylus-composer, judging",
    )
    parser.add_argument(
        "--settings",
        type=Path,
        default=settings_folder(),
        metavar="FOLDER",
        help="profiles and keys",
    )
    parser.add_argument(
        "--all", action="store_true", help="every method; table and plot go to bench/results"
    )
    parser.add_argument(
        "--json", type=Path, metavar="OUT.JSON", dest="out", help="write each answer and the totals"
    )


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return one method's answers, totals and summary; with `--all` the table of all methods.

    Raises ValueError for options that exclude each other, and as `one` does.
    """
    given = (options.cards, options.queries, options.now, options.method, options.llm, options.out)
    if options.all and any(given):
        raise ValueError("--all is for every method on Repo-Prompts: give it alone")
    if options.all:
        return {}, run_everything()
    make_ready(options.out)
    method = options.method or "checkin"
    result = one(method, options.cards, options.queries, options.now, options.llm, options.settings)
    if options.out:
        options.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return result, summary(result)


def one(
    method: str,
    cards: Path | None,
    queries: Path | None,
    now: str | None,
    llm: str | None = None,
    settings: Path | None = None,
) -> dict[str, Any]:
    """Evaluate a method on queries over a repository; on Repo-Prompts where no files are given.

    `llm` is the profile of a language model: it also judges the method against Check-in, where the
    two chose different cards.

    Raises ValueError where only some of cards, queries and now are given, and for files that cannot
    be used.
    """
    repository, instances, moment = _given(cards, queries, now)
    profile = profile_named(llm, settings) if llm else None
    try:
        result = judge(method, instances, repository, moment, profile, settings)
        if profile and method != "checkin":
            result["judge"] = _against_checkin(
                result, instances, repository, moment, profile, settings
            )
    except NoAnswer as error:
        raise ValueError(f"{llm}: {error}") from None
    return result


def _given(
    cards: Path | None, queries: Path | None, now: str | None
) -> tuple[Repository, list[Instance], datetime]:
    if not any((cards, queries, now)):
        with TemporaryDirectory() as folder:
            made = write(Path(folder), SEED)
            return (
                Repository.open(cards=made / "cards.jsonl"),
                read_instances(made / "queries.jsonl"),
                NOW,
            )
    if cards is None or queries is None or now is None:
        raise ValueError("give --cards, --queries and --now together, or none of them")
    moment = datetime.fromisoformat(now)
    if moment.tzinfo is None:
        raise ValueError(f"--now {now} has no time zone: write 2025-05-15T12:00+00:00")
    return Repository.open(cards=cards), read_instances(queries), moment


def _against_checkin(
    result: dict[str, Any],
    instances: list[Instance],
    repository: Repository,
    now: datetime,
    profile: Profile,
    settings: Path | None,
) -> dict[str, Any]:
    """Let the language model judge Check-in's card (first) against this method's (second).

    Only queries for which they differ are judged.
    """
    ours = judge("checkin", instances, repository, now)["instances"]
    both = zip(instances, ours, result["instances"], strict=True)
    chosen = [(one, own["checkpoint_id"], other["checkpoint_id"]) for one, own, other in both]
    return llm_judge.summary(
        [
            llm_judge.judged(
                instance.text,
                [repository.get(own)],
                [repository.get(other)],
                now.isoformat(),
                profile,
                settings,
            )
            for instance, own, other in chosen
            if own and other and own != other
        ]
    )


def summary(result: dict[str, Any]) -> str:
    """Return the table row of one method, and its accuracy by kind."""
    kinds = result["totals"]["kinds"].items()
    lines = [
        f"- {name}: {found['right']} of {found['of']} ({found['share']:.1%})"
        for name, found in kinds
    ]
    if said := result.get("judge"):
        lines.append(f"- the judge: {llm_judge.sentence(said)}")
    return "\n".join([table([result]), "", *lines])
