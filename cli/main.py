"""The `personalq` command: build the parser and run the requested subcommand."""

from __future__ import annotations

import argparse
import io
import os
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
    "serve": "answer requests over HTTP, and draw on several cards (Ray Serve)",
    "mcp": "let agents ask for models, over the Model Context Protocol",
    "bench": "demo repository and measurements, in a clone of the repository",
}
"""Subcommand -> its help.

Each is a module of this folder with `add_arguments(parser)` and `run(options)`; `bench` has only
`run`.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return the exit code.

    0 is success; 1 means that `doctor` found a failure, or that a command over a library failed for
    some models; 2 means that the input was wrong or that a file cannot be read or written; 130 that
    Ctrl+C stopped it; 141 that nobody reads its output any more.
    """
    return run(parse(sys.argv[1:] if argv is None else argv))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a subcommand, with its function as `run`; import no other subcommand.

    Raises ModuleNotFoundError where a package that it needs is not installed, and SystemExit after
    `--help` and for wrong arguments.
    """
    asked = arguments[0] if arguments else None
    module = import_module(f".{asked}", __package__) if asked in COMMANDS else None
    if module and asked == "bench":  # the measurements have their own parser
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
    """Run the subcommand of the options from `parse`; return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # into a file, Windows writes cp1252, which cannot encode many names
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = options.run(options) or 0
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # as in `personalq index FOLDER | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python's end complains
        return 141
    except (ValueError, OSError) as error:
        print(f"personalq: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print(f"\npersonalq: {stopped.args[0] if stopped.args else 'stopped.'}", file=sys.stderr)
        return 130
