"""The `personalq` command: builds the parser, and runs the subcommand that was asked for."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "index": "list the models of one or more folders, and what is known of each",
    "ask": "which model a request means",
    "describe": "say what models draw, where nobody has, in the cards beside them",
    "quantize": "store a model's UNet in 8 or 4 bits, before it is needed",
    "doctor": "check what quantization computes on this machine, and how fast",
    "history": "which models you used, as kept on this machine for the serving plan",
    "bench": "demo repository and measurements, in a clone of the repository",
}
"""Each is a module of this folder, with `add_arguments(parser)` and `run(options)`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    The exit code is 0; 2 where the input was wrong or a file cannot be read or written; 1 where
    `doctor` found something.
    """
    return run(parse(sys.argv[1:] if argv is None else argv))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a subcommand, and its `run`. No other subcommand is imported.

    Raises ModuleNotFoundError where a package that it needs is not installed, and SystemExit after
    `--help` and for wrong arguments.
    """
    asked = arguments[0] if arguments else None
    module = import_module(f".{asked}", __package__) if asked in COMMANDS else None
    if module and asked == "bench":  # its measurements have a parser of their own
        return argparse.Namespace(run=module.run, arguments=arguments[1:])
    parser = argparse.ArgumentParser(
        "personalq", description="Find your own models by asking for them in plain words."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        if module and asked == name:
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> int:
    """The exit code of a subcommand that `parse` returned."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # into a file, Windows writes cp1252, which lacks most names
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return options.run(options) or 0
    except (ValueError, OSError) as error:
        print(f"personalq: {error}", file=sys.stderr)
        return 2
