"""The option `--settings` of several subcommands."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..checkin.user.settings import VARIABLE, settings_folder


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the option for the folder of settings, keys and history."""
    parser.add_argument(
        "--settings",
        type=Path,
        default=settings_folder(),
        metavar="FOLDER",
        help=f"your settings, keys and history (default: ${VARIABLE}, else those of the ComfyUI "
        "around this pack, else ~/.personalq)",
    )
