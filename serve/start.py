"""Starts the service on this machine or on a Ray cluster, and ends it."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..checkin.index.shared import shared_snapshot
from ..ray_cluster import EXTRA, connected
from .comfyui_process import NotStarted
from .plan import LOOPBACK, Plan
from .store import Store
from .tokens import Tokens

_ERROR = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Repository|NoStore): ", re.MULTILINE)
"""The beginning of the last line of a traceback."""
_RAY = {
    # Seconds that a job waits for a painter with its base before it goes to any: about as long as
    # a base is loaded. With Ray's own 1 s, many more are (`personalq bench serving`).
    "RAY_SERVE_MULTIPLEXED_MODEL_ID_MATCHING_TIMEOUT_S": "5",
}


class CannotServe(ValueError):
    """The service cannot start; the message says what to do."""


def check(plan: Plan, host: str, port: int) -> None:
    """What can be known before Ray starts.

    Raises CannotServe, NoStore for the database, and RepositoryError for a shared index.
    """
    if plan.shared_index:
        shared_snapshot(Path(plan.shared_index))
    elif not plan.folders:
        raise CannotServe(
            f"{plan.models} has no checkpoints/ and no loras/: name a folder of models as ComfyUI "
            "has it, with --models FOLDER."
        )
    if host not in LOOPBACK and not Tokens(plan.tokens).all():
        raise CannotServe(
            f"{host} can be reached from other machines, and there is no token: make one first "
            "with personalq serve --new-token NAME, or leave out --host."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise CannotServe(
            f"port {port} of {host} cannot be used ({why}): end what uses it, or name "
            "another one with --port."
        ) from None
    Path(plan.state).mkdir(parents=True, exist_ok=True)
    Store(plan.database).close()


@contextmanager
def service(plan: Plan, host: str, port: int, ray_address: str | None = None) -> Iterator[str]:
    """The running service, as the address of its page. Raises CannotServe, and NoRay."""
    check(plan, host, port)
    for name, value in _RAY.items():
        os.environ.setdefault(name, value)
    try:
        from ray import serve
    except ModuleNotFoundError:
        raise CannotServe(
            f'Ray Serve is not installed: run "{sys.executable}" -m pip install "{EXTRA}"'
        ) from None
    with connected(ray_address, Path(plan.state) / "import") as ray:
        _room(plan, ray.cluster_resources())
        from .deployments import NAME, application

        try:
            serve.start(
                proxy_location="HeadOnly",
                http_options={"host": host, "port": port},
                logging_config={"enable_access_log": False, "log_level": "WARNING"},
            )
            try:
                serve.run(application(asdict(plan)), name=NAME, route_prefix="/")
            except RuntimeError as error:
                raise CannotServe(_why(serve.status().applications.get(NAME), error)) from None
            shown = f"[{host}]" if ":" in host else host
            yield f"http://{shown}:{port}"
        finally:
            serve.shutdown()


def until_stopped() -> None:
    """Wait for Ctrl+C or SIGTERM."""
    end = threading.Event()
    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: end.set())
    while not end.wait(1.0):  # in short waits: on Windows a long one hears no Ctrl+C
        pass


def _room(plan: Plan, there: dict[str, float]) -> None:
    """Raise CannotServe where Ray has too few cards or cores for the painters."""
    cards, cores = int(there.get("GPU", 0)), there.get("CPU", 0.0)
    if plan.device == "gpu" and cards < plan.painters:
        found = f"{cards} graphics card" + ("" if cards == 1 else "s") if cards else "no GPU"
        step = f"ask for --painters {cards}" if cards else "draw on the processor with --device cpu"
        raise CannotServe(
            f"Ray sees {found}, and {plan.painters} painters need one each: {step}, or look "
            "whether nvidia-smi lists the cards."
        )
    wanted = plan.painters * plan.cores
    if cores < wanted:
        raise CannotServe(
            f"Ray has {cores:g} cores, and {plan.painters} painters of {plan.cores:g} need "
            f"{wanted:g}: ask for fewer --painters, or fewer --cores for each."
        )


def _why(status: Any, error: RuntimeError) -> str:
    """Why the application did not start, from the first of its parts that says so."""
    messages = [part.message for part in status.deployments.values()] if status else []
    said = next((text for text in messages if text), str(error))
    _, ours, log = said.partition(f"{NotStarted.__name__}: ")
    sentence = log if ours else _ERROR.split(said)[-1]  # without Python's traceback
    return f"the service did not start: {sentence.strip()}"
