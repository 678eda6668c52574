"""Ray, started on this machine or found at an address; what goes wrong is said in a sentence."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PACK = Path(__file__).resolve().parent
EXTRA = "ray[serve]>=2.60"
"""What is needed besides ComfyUI, as pip names it."""
RUNNING = "auto"
"""The address of the Ray that runs on this machine."""
_OBJECTS = 200 * 1024**2
"""Bytes of Ray's own store: pictures pass through it, models never."""
_ANSWER_SECONDS = 5.0
_NOT_STARTED = (
    "Ray did not start on this machine ({why}) Where other programs keep it busy, run the command "
    "again later, or without --ray."
)
_SAID = {
    # Ray reports how it is used to its makers unless this says no.
    "RAY_USAGE_STATS_ENABLED": "0",
    # Ray would lower the priority of all that it runs to 15, so that beside any other program on a
    # busy machine a ComfyUI is not there within minutes.
    "RAY_worker_niceness": "0",
}
_TOKEN = {"RAY_AUTH_MODE": "token"}
"""What a Ray at an address wants of those who connect, where `ray start` found a token."""


class NoRay(ValueError):
    """Ray cannot be used; the message says what to do."""


@contextmanager
def connected(address: str | None, importable: Path) -> Iterator[Any]:
    """The module `ray`, connected to `address`, or without one to a Ray of its own.

    `importable` is a folder from which the processes of that own Ray import this package. Raises
    NoRay.
    """
    make_importable(importable)
    said = _SAID | (_TOKEN if address and _has_token() else {})
    for name, value in said.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError:
        raise NoRay(
            f'Ray is not installed: run "{sys.executable}" -m pip install "{EXTRA}"'
        ) from None
    own: dict[str, Any] = {"include_dashboard": False, "object_store_memory": _OBJECTS}
    if address:
        _check(address)
    try:
        ray.init(
            address=address or "local",
            logging_level=logging.WARNING,
            log_to_driver=False,
            **({} if address else own),
        )
    except (ConnectionError, ValueError):
        raise _nobody_at(address) from None
    except Exception as error:  # Ray raises just this where its own processes are late
        raise NoRay(_NOT_STARTED.format(why=str(error).splitlines()[0])) from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _has_token() -> bool:
    """Whether Ray's own token is here: Ray uses it unasked only for a Ray that it starts."""
    named = {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & os.environ.keys()
    return bool(named) or os.path.isfile(os.path.expanduser("~/.ray/auth_token"))


def _check(address: str) -> None:
    """Raise NoRay at once where nothing listens: Ray itself would try for minutes."""
    if address == RUNNING:
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise NoRay(f"'{address}' is no address of a Ray: write HOST:PORT, such as 10.0.0.5:6379.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except (OSError, OverflowError):
        raise _nobody_at(address) from None


def _nobody_at(address: str | None) -> NoRay:
    where = "on this machine" if address in (None, RUNNING) else f"at {address}"
    return NoRay(
        f"no Ray {where} takes this command: start one with ray start --head, or leave out the "
        "address, and this command starts its own. A Ray of another machine wants its token: copy "
        "its ~/.ray/auth_token to here."
    )


def make_importable(folder: Path) -> None:
    """Let Ray's processes import this package from a folder, also where it is not installed."""
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "personalq"
    if link.resolve() != PACK:
        link.unlink(missing_ok=True)
        link_folder(PACK, link)
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    wanted = dict.fromkeys([str(folder.absolute()), *filter(None, others)])
    os.environ["PYTHONPATH"] = os.pathsep.join(wanted)


def link_folder(target: Path, link: Path) -> None:
    """Make a symbolic link; on Windows a junction, which needs no special rights."""
    if sys.platform == "win32":
        import _winapi

        _winapi.CreateJunction(str(target), str(link))
    else:
        link.symlink_to(target, target_is_directory=True)
