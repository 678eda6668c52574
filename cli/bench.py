"""`personalq bench`: run the measurements, which only a clone of the repository has."""

from __future__ import annotations

import argparse
import sys

CLONE_OF_ALL = "a clone of https://github.com/personalq/personalq"


def run(options: argparse.Namespace) -> int:
    """Run a measurement and return its exit code.

    Without bench/, print the next step and return 2.
    """
    try:
        from ..bench.cli import main as bench
    except ModuleNotFoundError as error:
        if error.name != f"{__package__.rpartition('.')[0]}.bench":
            raise
        print(
            "personalq: the measurements are not part of the pack: run `python quickstart.py "
            f"setup` in {CLONE_OF_ALL}, and `personalq bench` with the Python that it prints.",
            file=sys.stderr,
        )
        return 2
    return bench(options.arguments)
