"""The option `--settings` of several subcommands, and the folder that it means."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..checkin.user.settings import VARIABLE, settings_folder


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the option for the folder of settings, keys and history."""
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FOLDER",
        help=f"your settings, keys and history (default: ${VARIABLE}, else those of the ComfyUI "
        "around this pack, else ~/.personalq)",
    )


def settings_of(options: argparse.Namespace) -> Path:
    """The folder of settings. Raises ValueError where none was named and there is no home."""
    return options.settings or settings_folder()
