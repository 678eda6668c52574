"""`personalq bench`: the demo repository and the measurements."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "demo": (".demo_folder", "write a small repository of models to try things on (0.9 GB)"),
    "checkin": (".checkin_time", "time scans and decisions on a generated repository"),
    "opening": (
        ".opening",
        "opening of a large library and its memory, beside another version of the package",
    ),
    "repo-prompts": (
        ".repo_prompts.command",
        "write the benchmark of selection: 1,000 cards, 500 queries",
    ),
    "selection": (
        ".selection.command",
        "judge a selector on Repo-Prompts, or on any queries in its form",
    ),
    "libraries": (
        ".libraries.command",
        "judge selectors on strangers' libraries, with requests of theirs",
    ),
    "bytes": (".unet_bytes", "count a full-size UNet's bytes in fp16, W8A8 and W4A8"),
    "steps": (".step_time", "time sampling steps in a real ComfyUI, with and without TAQ"),
    "full": (
        ".full_size",
        "sampling steps, memory and error of a full-size UNet in ComfyUI, fp16 beside TAQ",
    ),
    "taq": (
        ".taq.everything",
        "TAQ beside other tools on one UNet; serving many models from one base",
    ),
    "day": (
        ".day.command",
        "a day of requests for 1,000 personal models of one base: bytes, switches, evictions",
    ),
    "users": (".users", "ten people at once through one ComfyUI, with and without TAQ"),
    "serving": (
        ".serving.command",
        "`personalq serve`: painters, routing, painters that are killed; many cards, simulated",
    ),
    "two-loras": (
        ".two_loras.command",
        "how often a request for two subjects draws both of them",
    ),
    "evidence": (".evidence.command", "what quantization does to pictures: the paper's tables"),
    "learning-rates": (
        ".learning_rates",
        "what the learning rate does to a block whose rounding is learned",
    ),
    "latency": (".latency", "seconds and turns from a request to its picture"),
    "rate": (".rating.command", "a page on which people rate pairs of pictures blind"),
    "world": (
        ".world.evaluate",
        "how well the package's own trained models draw what is asked for",
    ),
}
"""Name -> its module and what it does.

A module has `add_arguments(parser)` and `run(options)`, which returns the result and its text.
"""


def main(argv: Sequence[str]) -> int:
    """Run one measurement, print its result, return the exit code.

    The code is 1, with the reason printed, where it could not be measured, else 0.
    """
    options = _parse(argv)
    try:
        result, text = options.run(options)
    except (ValueError, RuntimeError, OSError) as error:
        print(f"personalq bench: {error}", file=sys.stderr)
        return 1
    print(json.dumps(result, indent=2) if options.json else text)
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a measurement, with its `run`; import no other measurement."""
    parser = argparse.ArgumentParser(prog="personalq bench", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, (place, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        if name in arguments[:1]:
            module = import_module(place, __package__)
            module.add_arguments(command)
            command.set_defaults(run=module.run, json=False)
            if name not in ("selection", "libraries"):  # their --json names a file
                command.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser.parse_args(arguments)
