"""`personalq bench repo-prompts`: write the benchmark."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from . import write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench repo-prompts`."""
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Write the benchmark; return its folder, as data and as text."""
    folder = write(options.folder, options.seed)
    result = {"folder": str(folder), "seed": options.seed}
    return result, f"{folder}: cards.jsonl, queries.jsonl and about.json"
