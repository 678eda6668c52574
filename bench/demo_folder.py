"""`personalq bench demo`: write the demo repository into a folder of the user's choice."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..demo.repository import make_demo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench demo`."""
    parser.add_argument(
        "folder", type=Path, help="becomes a models folder: checkpoints/ and loras/"
    )


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Write the repository; return what was written, as data and as text."""
    made = make_demo(options.folder)
    text = f"{made.folder}: {made.models} personalised models, {made.written} files written now"
    return made.to_dict(), text
