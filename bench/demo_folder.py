"""`personalq bench demo`: the demo repository in a folder of one's choice."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..demo.repository import make_demo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `personalq bench demo`."""
    parser.add_argument(
        "folder", type=Path, help="becomes a models folder: checkpoints/ and loras/"
    )


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """What was made, as data and as text."""
    made = make_demo(options.folder)
    text = f"{made.folder}: {made.models} personalised models, {made.written} files written now"
    return made.to_dict(), text
