"""`personalq bench`: the demo repository and the measurements."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path


def main(argv: Sequence[str]) -> int:
    """Runs one subcommand; returns the exit code."""
    parser = argparse.ArgumentParser(prog="personalq bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="write a small repository of models to try things on (0.9 GB)")
    demo.add_argument("folder", type=Path, help="becomes a models folder: checkpoints/ and loras/")
    for command in (demo,):
        command.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(argv)
    result, text = _run(options)
    print(json.dumps(result, indent=2) if options.json else text)
    return 0


def _run(options: argparse.Namespace) -> tuple[dict[str, object], str]:
    from .demo.repository import make_demo

    made = make_demo(options.folder)
    return made.to_dict(), f"{made.folder}: {made.models} personalised models, {made.written} files written now"
