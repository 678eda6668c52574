"""`personalq index`: list the models in folders, and what is known of each."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..checkin import Card, Repository
from .terminal import counter, print_notices


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
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(options: argparse.Namespace) -> None:
    """Print a line for each model. Raises ValueError for `--hash` without `--cache`."""
    if options.hash and not options.cache:
        raise ValueError(
            "--hash reads every file whole: name a --cache FILE that keeps the hashes."
        )
    repository = Repository.open(
        *options.folders, cache=options.cache, hash_files=options.hash, progress=counter("files")
    )
    if options.json:
        cards = [card.as_dict() for card in repository.cards]
        print(json.dumps({"cards": cards, "notices": repository.notices}))
        return
    for card in repository.cards:
        print(_line(card))
    print_notices(repository.notices)


def _line(card: Card) -> str:
    facts = (
        ", ".join([*card.subjects, *card.styles]) or "not described",
        card.trigger or "no trigger",
        f"{card.created_at:%Y-%m-%d}" if card.created_at else "no date",
        card.kind,
        card.base_model or "unknown base model",
    )
    return f"{card.id}: {'; '.join(facts)}"
