"""The option `--ray` of commands over whole libraries, and what they have in common."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..batch import Each, in_this_process, with_ray
from ..ray_cluster import RUNNING, connected
from .terminal import counter

SOME_FAILED = 1
"""The exit code where some models failed."""
_IMPORTS = "the machines of this Ray cannot import PersonalQ ({why}): install the pack on each."


def add_ray(parser: argparse.ArgumentParser) -> None:
    """Add the option that has the work done by Ray."""
    parser.add_argument(
        "--ray",
        nargs="?",
        const="",
        type=_address,
        metavar="ADDRESS",
        help="work on all cores with Ray, or on all machines of the Ray at this address",
    )


@contextmanager
def working(options: argparse.Namespace) -> Iterator[Each]:
    """How the work is done: in this process, or by Ray. Raises NoRay.

    A KeyboardInterrupt within it says that the command can be run again.
    """
    try:
        if options.ray is None:
            yield in_this_process
            return
        with (
            tempfile.TemporaryDirectory() as folder,
            connected(options.ray, Path(folder)) as ray,
        ):
            _check(ray)
            yield with_ray(ray)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "stopped. What is done is kept: the same command goes on from there."
        ) from None


def over(
    each: Each,
    function: Callable[[Any], Any],
    items: Sequence[Any],
    keep: Callable[[Any, Any], None],
    unit: str,
    memory: Callable[[Any], int] | None = None,
) -> list[tuple[Any, str]]:
    """Call `function` for each item, `keep` with it and its result; return what failed, and why."""
    show, failed = counter(unit), []
    for number, done in enumerate(each(function, items, memory), 1):
        if done.error is None:
            keep(done.item, done.result)
        else:
            failed.append((done.item, why_of(done.error)))
        if show:
            show(number, len(items))
    return failed


def why_of(error: Exception) -> str:
    """An error in one line."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(said).strip().splitlines()[0]


def _address(said: str) -> str:
    if said not in ("", RUNNING) and Path(said).exists():
        raise argparse.ArgumentTypeError(
            f"'{said}' is a file or folder, not an address: put --ray at the end, or write --ray "
            "HOST:PORT"
        )
    return said


def _check(ray: Any) -> None:
    """Raise ValueError where Ray's processes cannot import this package."""
    try:
        ray.get(ray.remote(why_of).remote(ValueError("nothing")))
    except (ImportError, ray.exceptions.RayError) as error:
        raise ValueError(_IMPORTS.format(why=why_of(error))) from None
