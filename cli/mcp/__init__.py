"""`personalq mcp`: let agents ask for models, over the Model Context Protocol (stdio)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..settings import add_settings, settings_of
from .library import Library

SDK = "mcp>=2.0"
"""The official SDK, as pip names it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the subcommand."""
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--cards", type=Path, metavar="FILE", help="a cards.jsonl")
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="FILE",
        help="keep what is read, so that the next start reads only changes",
    )
    parser.add_argument(
        "--write", action="store_true", help="let agents describe models in the cards beside them"
    )
    add_settings(parser)


def run(options: argparse.Namespace) -> None:
    """Answer an agent on standard input and output, until its end.

    Raises ValueError, with the next step, for folders that are not there, and without the SDK.
    """
    library = Library(options.folders, options.cards, options.cache, settings_of(options))
    try:
        from .server import make_server
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] != "mcp":
            raise
        raise ValueError(
            "the SDK of the Model Context Protocol is not installed, or older than 2: run "
            f'"{sys.executable}" -m pip install "{SDK}"'
        ) from None
    make_server(library, options.write).run("stdio")
