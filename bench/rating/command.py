"""`personalq bench rate`: a page to rate pairs of pictures blind, and the table of its answers."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .answers import read, report, summarize
from .page import page
from .pairs import Pair, pairs_in

PAGE, KEY = "rate.html", "key.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench rate`."""
    parser.add_argument(
        "folder",
        type=Path,
        help='pictures in "full precision" and in one folder for each way to quantize, as '
        "`bench evidence --draw` writes them",
    )
    parser.add_argument(
        "--variants", nargs="+", default=[], metavar="NAME", help="such folders alone"
    )
    parser.add_argument("--pairs", type=int, default=40, help="how many are asked at most")
    parser.add_argument("--seed", type=int, default=0, help="of the order and the sides")
    parser.add_argument(
        "--answers",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help=f"what raters saved: print the table, by {KEY} in the folder",
    )


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Write the page and its key, or return the table of answers.

    Raises ValueError as `pairs_in` and `read` do, and for answers without a key.
    """
    folder, key = options.folder, options.folder / KEY
    if options.answers:
        if not key.is_file():
            raise ValueError(f"{folder} has no {KEY}: make the page first, without --answers")
        pairs = [Pair(**one) for one in json.loads(key.read_text("utf-8"))]
        result = summarize(pairs, [read(file, pairs) for file in options.answers])
        return result, report(result)
    pairs = pairs_in(folder, options.variants, options.pairs, options.seed)
    written = folder / PAGE
    written.write_text(page(folder, pairs), "utf-8")
    key.write_text(json.dumps([pair.as_dict() for pair in pairs], indent=1) + "\n", "utf-8")
    text = (
        f"{written}: {len(pairs)} pairs. Send it to raters, and keep {KEY}, which says what is "
        "what.\nThey open it in a browser and send back what it saves. Then: personalq bench rate "
        f"{folder} --answers FILE..."
    )
    return {"page": str(written), "key": str(key), "pairs": len(pairs)}, text
