"""`personalq describe`: write what models draw into the cards beside them."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from ..checkin import Repository
from ..checkin.describe import describe_models, describer_named, needs_description
from ..checkin.describe.through_comfyui import describe_through
from ..checkin.llm import OFFLINE
from .settings import add_settings
from .terminal import print_notices

_WIDTH = 30
"""Width of the progress bar, in characters."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the subcommand."""
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--with", dest="describer", default=OFFLINE, metavar="NAME", help="what looks at pictures"
    )
    parser.add_argument(
        "--again", action="store_true", help="also what a program has described before"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="at most so many models")
    parser.add_argument(
        "--server",
        metavar="URL",
        help="a running ComfyUI: it describes its own models, and draws them",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_settings(parser)


def run(options: argparse.Namespace) -> None:
    """Describe models and print what was done.

    Raises ValueError unless either folders or a server are given.
    """
    if bool(options.folders) == bool(options.server):
        raise ValueError(
            "say which models: folders, or --server with the address of a running ComfyUI."
        )
    if options.server:
        print(
            describe_through(options.server, options.describer, options.again, options.limit or 0)
        )
        return
    repository = Repository.open(*options.folders, embedder=None)
    waiting = [card for card in repository.cards if needs_description(card, options.again)]
    outcome = describe_models(
        waiting[: options.limit],
        describer_named(options.describer, options.settings),
        options.describer,
        now=datetime.now().astimezone(),
        progress=_progress_bar,
    )
    print(json.dumps(asdict(outcome)) if options.json else outcome.text())
    print_notices(repository.notices)


def _progress_bar(done: int, total: int) -> None:
    filled = _WIDTH * done // total
    line = f"\r[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}"
    print(line, end="\n" if done == total else "", file=sys.stderr, flush=True)
