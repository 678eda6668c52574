"""`personalq describe`: write what models draw into the cards beside them."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from ..checkin import Repository
from ..checkin.describe import describe_models, describer_named, in_turn
from ..checkin.describe.through_comfyui import describe_through
from ..checkin.llm import OFFLINE
from .over_models import SOME_FAILED, add_ray, working
from .settings import add_settings, settings_of
from .terminal import counter, print_notices


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
    add_ray(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_settings(parser)


def run(options: argparse.Namespace) -> int:
    """Describe models and print what was done.

    Raises ValueError unless either folders or a server are given, and for a limit below 1.
    """
    if bool(options.folders) == bool(options.server):
        raise ValueError(
            "say which models: folders, or --server with the address of a running ComfyUI."
        )
    if options.limit is not None and options.limit <= 0:
        raise ValueError("--limit must be more than 0.")
    if options.server:
        if options.ray is not None:
            raise ValueError("--server has one ComfyUI describe all models: leave out --ray.")
        report, failed = describe_through(
            options.server, options.describer, options.again, options.limit or 0
        )
        print(json.dumps({"report": report, "failed": failed}) if options.json else report)
        return SOME_FAILED if failed else 0
    repository = Repository.open(*options.folders, embedder=None)
    describer = describer_named(options.describer, settings_of(options))
    with working(options) as each:
        outcome = describe_models(
            in_turn(repository.cards, options.again),
            describer,
            options.describer,
            now=datetime.now().astimezone(),
            progress=counter("models") or (lambda done, total: None),
            each=each,
            limit=options.limit,
        )
    print(json.dumps(asdict(outcome)) if options.json else outcome.text(most=None))
    print_notices(repository.notices)
    return SOME_FAILED if outcome.failed else 0
