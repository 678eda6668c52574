"""`personalq serve`: requests over HTTP, drawn on one card or many, with Ray Serve."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ..comfyui_folder import find_comfyui
from .settings import add_settings, settings_of

if TYPE_CHECKING:
    from ..serve.plan import Plan

PORT = 8190


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the subcommand."""
    add = parser.add_argument
    add("--models", type=Path, metavar="FOLDER", help="models (default: those of ComfyUI)")
    add("--index", type=Path, metavar="FILE", help="decide by the index that personalq index keeps")
    add("--ingresses", type=int, default=1, metavar="N", help="processes that decide (default: 1)")
    add("--comfyui", type=Path, metavar="FOLDER", help="the ComfyUI that draws")
    add("--python", default="", metavar="FILE", help="the Python that runs it (default: this one)")
    add("--host", default="127.0.0.1", help="other than this machine's own: needs a token")
    add("--port", type=int, default=PORT, help=f"(default: {PORT})")
    add("--painters", type=int, default=1, metavar="N", help="ComfyUIs that draw at once")
    add("--most-painters", type=int, metavar="N", help="start up to N while jobs wait")
    add("--idle", type=float, default=300, metavar="SECONDS", help="until such a one ends again")
    add("--device", choices=("gpu", "cpu"), help="a card for each painter, or the processor")
    add("--cores", type=float, default=1, metavar="N", help="cores for each painter (default: 1)")
    add(
        "--waiting", type=int, default=200, metavar="N", help="accepted jobs not yet drawn, at most"
    )
    add("--keep-days", type=float, default=7, metavar="N", help="how long pictures are kept")
    add("--store", default="", metavar="URL", help="database of jobs (or $PERSONALQ_STORE)")
    add("--state", type=Path, metavar="FOLDER", help="jobs, tokens, index (default: in settings)")
    add("--work", type=Path, metavar="FOLDER", help="painters' folder, on each machine's own disk")
    add("--ray", nargs="?", metavar="ADDRESS", help="a running Ray (default: one of its own)")
    add("--any-painter", action="store_true", help="not where the base is (to compare)")
    add("--new-token", metavar="NAME", help="make a token, print it once, and end")
    add("--a-minute", type=int, metavar="N", help="with --new-token: its requests in a minute")
    add("--jobs", type=int, metavar="N", help="with --new-token: its jobs that may wait")
    add("--forget-token", metavar="NAME", help="remove a token, and end")
    add("--tokens", action="store_true", help="list the tokens, and end")
    add("--json", action="store_true", help="one JSON object")
    add_settings(parser)


def run(options: argparse.Namespace) -> None:
    """Serve until Ctrl+C, or change the tokens. Raises ValueError for what cannot be served."""
    if options.tokens or options.new_token is not None or options.forget_token is not None:
        _change_tokens(options)
        return
    try:
        from ..serve.start import LOOPBACK, service, until_stopped
    except ModuleNotFoundError as error:
        raise ValueError(
            f'{error.name} is not installed: run "{sys.executable}" -m pip install sqlalchemy '
            'aiohttp psutil "ray[serve]"'
        ) from None
    plan = _plan(options, options.host in LOOPBACK)
    with ExitStack() as running:
        address = running.enter_context(service(plan, options.host, options.port, options.ray))
        painters = plan.painters
        if options.json:
            print(json.dumps({"address": address, "painters": painters}), flush=True)
        else:
            said = "1 painter" if painters == 1 else f"{painters} painters"
            print(f"PersonalQ serves at {address} ({said}). Ctrl+C ends it.", flush=True)
        until_stopped()


def _plan(options: argparse.Namespace, local: bool) -> Plan:
    from ..serve.plan import Plan

    for name in ("painters", "ingresses", "cores", "waiting", "idle"):
        if getattr(options, name) <= 0:
            raise ValueError(f"--{name} must be more than 0.")
    most = options.most_painters or options.painters
    if most < options.painters:
        raise ValueError("--most-painters must not be less than --painters.")
    comfyui = find_comfyui(options.comfyui)
    if comfyui is None:
        raise ValueError("there is no ComfyUI here: name its folder with --comfyui FOLDER.")
    return Plan(
        models=str((options.models or comfyui / "models").absolute()),
        comfyui=str(comfyui),
        state=str(_state(options).absolute()),
        work=str(options.work.absolute()) if options.work else "",
        store=options.store,
        shared_index=str(options.index.absolute()) if options.index else "",
        settings=str(settings_of(options).absolute()),
        python=options.python,
        ingresses=options.ingresses,
        painters=options.painters,
        most_painters=most,
        idle_seconds=options.idle,
        device=options.device or _device(),
        cores=options.cores,
        most_waiting=options.waiting,
        keep_days=options.keep_days,
        multiplexed=not options.any_painter,
        local=local,
    )


def _state(options: argparse.Namespace) -> Path:
    return options.state or settings_of(options) / "serve"


def _device() -> str:
    """The cards of this machine, if it has any that torch can use."""
    try:
        import torch
    except ModuleNotFoundError:
        return "cpu"
    return "gpu" if torch.cuda.is_available() else "cpu"


def _change_tokens(options: argparse.Namespace) -> None:
    from ..serve.tokens import A_MINUTE, WAITING, Tokens

    tokens = Tokens(_state(options) / "tokens.yaml")
    for name in ("a_minute", "jobs"):
        if (said := getattr(options, name)) is not None and said <= 0:
            raise ValueError(f"--{name.replace('_', '-')} must be more than 0.")
    if options.forget_token is not None:
        tokens.forget(options.forget_token)
    secret = ""
    if options.new_token is not None:
        secret = tokens.make(
            options.new_token, options.a_minute or A_MINUTE, options.jobs or WAITING
        )
    there = [
        {"name": one.name, "a_minute": one.a_minute, "waiting": one.waiting} for one in tokens.all()
    ]
    if options.json:
        print(json.dumps({"tokens": there} | ({"token": secret} if secret else {})))
    elif secret:
        print(f"{secret}\nThis is the only time that it is shown: only its hash is stored.")
    else:
        for one in there:
            print(f"{one['name']}: {one['a_minute']} requests a minute, {one['waiting']} jobs")
