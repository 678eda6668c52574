"""`personalq index`: list the models in folders, and what is known of each."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import NoReturn

from ..checkin import Card, Repository
from ..checkin.index.build_index import RepositoryError, UnusableIndex
from ..checkin.index.folders import folder_digest
from ..checkin.index.hashes import save_hash, stamped_hash
from .over_models import SOME_FAILED, add_ray, over, working
from .terminal import counter, print_failures, print_line, print_notices

LOOK_EVERY = 2.0
"""Seconds between two looks of `--watch`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the subcommand."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="FILE",
        help="keep what is read, so that only changes are read again",
    )
    parser.add_argument(
        "--hash",
        action="store_true",
        help="take the SHA-256 of each file, to know copies; needs --cache",
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="keep the --cache up to date until Ctrl+C, for those who read it",
    )
    add_ray(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print a line for each model. Raises ValueError for options that lack another one."""
    if options.hash and not options.cache:
        raise ValueError(
            "--hash reads every file whole: name a --cache FILE that keeps the hashes."
        )
    if options.ray is not None and not options.hash:
        raise ValueError("--ray is for --hash: without it, only the headers of files are read.")
    if options.watch:
        _watch(options)
    repository, failed = _read(options)
    if options.json:
        cards = [card.as_dict() for card in repository.cards]
        print(json.dumps({"cards": cards, "notices": repository.notices, "failed": failed}))
        return SOME_FAILED if failed else 0
    for card in repository.cards:
        print_line(_line(card))
    print_notices(repository.notices)
    print_failures(failed, "hashed")
    return SOME_FAILED if failed else 0


def _watch(options: argparse.Namespace) -> NoReturn:
    """Keep the index up to date until Ctrl+C; say how many models it has each time it changes."""
    if not options.cache:
        raise ValueError("--watch keeps an index up to date: name it with --cache FILE.")
    seen = None
    while True:
        now = folder_digest(map(str, options.folders), ())
        if now != seen:
            try:
                repository, failed = _read(options)
            except UnusableIndex:
                raise
            except RepositoryError as error:  # for a moment there may be none
                print_notices([str(error)])
            else:
                number = len(repository.cards)
                said = {"models": number, "failed": failed}
                print(json.dumps(said) if options.json else f"{number} models", flush=True)
                print_failures(failed, "hashed")
            seen = now
        time.sleep(LOOK_EVERY)


def _read(options: argparse.Namespace) -> tuple[Repository, list[tuple[str, str]]]:
    """The models; and (path, why) of those whose hash could not be taken."""
    repository = _open(options)
    if not options.hash:
        return repository, []
    failed = _hash(repository, options)
    return _open(options), failed


def _open(options: argparse.Namespace) -> Repository:
    return Repository.open(
        *options.folders, cache=options.cache, progress=counter("files"), named=True
    )


def _hash(repository: Repository, options: argparse.Namespace) -> list[tuple[str, str]]:
    """Take and keep the hashes that are missing; returns (path, why) of what failed."""
    known = (card.path for card in repository.cards if card.sources.get("sha256") != "file")
    paths = [path for path in known if path]
    if not paths:
        return []

    def keep(path: str, found: tuple[str, str]) -> None:
        stamp, sha256 = found
        save_hash(path, stamp, sha256, options.cache)

    with working(options) as each:
        return over(each, stamped_hash, paths, keep, "hashes")


def _line(card: Card) -> str:
    facts = (
        ", ".join([*card.subjects, *card.styles]) or "not described",
        card.trigger or "no trigger",
        f"{card.created_at:%Y-%m-%d}" if card.created_at else "no date",
        card.kind,
        card.base_model or "unknown base model",
    )
    return f"{card.id}: {'; '.join(facts)}"
