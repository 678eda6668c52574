"""`personalq history`: show or erase which models were used, as stored for the serving plan."""

from __future__ import annotations

import argparse
import json

from ..checkin.user.context import HISTORY_FILE
from ..checkin.user.history import History
from .settings import add_settings, settings_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the subcommand."""
    parser.add_argument("--erase", action="store_true", help="forget all of it")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_settings(parser)


def run(options: argparse.Namespace) -> None:
    """Print every use, or erase all."""
    history = History(settings_of(options) / HISTORY_FILE)
    if options.erase:
        count = history.erase()
        print(json.dumps({"erased": count}) if options.json else f"{count} uses forgotten.")
        return
    uses = [
        {"when": use.when.isoformat(), "model": use.model, "preset": use.preset}
        for use in history.uses()
    ]
    if options.json:
        print(json.dumps({"file": str(history.path), "uses": uses}))
        return
    print(f"{len(uses)} uses in {history.path}")
    for use in uses:
        print(f"{use['when']}  {use['model']}  {use['preset'] or ''}".rstrip())
