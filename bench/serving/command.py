"""Measure the service on the demo models: painters, routing, and painters that are killed."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...checkin import Repository, check_in
from ...comfyui_folder import find_comfyui
from ...demo.catalogue import MODELS
from ...demo.repository import make_demo
from ..kept_results import keep
from ..machine import environment, load_average
from ..table import table
from .bases import NAMES, more_bases
from .decisions import measure
from .painters import Loads, loads_of
from .service import Asked, ask_all, service
from .simulation import Costs, compare

SEED = 7
PARTS = ("times", "one", "two", "any", "killed", "decide", "simulated")
DEMO_NAMES = [Path(model.path).stem for model in MODELS]


@dataclass(frozen=True)
class Row:
    """One way to serve, and how it did."""

    name: str
    painters: int
    requests: int
    lost: int
    wrong: int
    killed: int
    a_minute: float
    p50: float
    p95: float
    loads: int
    """Bases that painters read; `quantized` and `switch` as in `Loads`."""
    quantized: int
    switch: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench serving`."""
    parser.add_argument("--comfyui", type=Path, help="ComfyUI's folder (default: look for one)")
    parser.add_argument("--demo", type=Path, default=Path("out/demo"), help="demo repository")
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument(
        "--bases",
        type=int,
        default=0,
        metavar="N",
        help=f"ask for N checkpoints in place of the demo's models, at most {len(NAMES)}",
    )
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--side", type=int, default=64, help="pixels")
    parser.add_argument("--cores", default="1", help="for each painter")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--kill-every", type=float, default=20.0, help="seconds")
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=PARTS,
        default=PARTS,
        help="times of one painter, one painter, two, two whatever they hold, two of which one is "
        "killed again and again, decisions of an ingress, many cards simulated with the times",
    )
    parser.add_argument("--models", type=int, default=100_000, help="of the ingress")
    parser.add_argument("--decisions", type=int, default=480)
    parser.add_argument("--keep", metavar="NAME", help="write bench/results/NAME.json and .md")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """The measurement, as data and as text. Raises ValueError where there is no ComfyUI."""
    result: dict[str, Any] = {"machine": environment(), "load": load_average()}
    parts = [f"{result['machine']['processor']}, load {result['load']}"]
    costs = Costs()
    if "times" in options.parts:
        costs = _times(options)
        result["times"] = asdict(costs)
        parts.append(f"draw {costs.draw} s, switch {costs.switch} s, fetch {costs.fetch} s")
    rows = list(_rows(options))
    result["served"] = [asdict(row) for row in rows]
    if rows:
        parts.append(table([list(asdict(rows[0])), *(list(asdict(row).values()) for row in rows)]))
    if "decide" in options.parts:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder).resolve()
            decided = measure(options.models, options.decisions, options.clients, place)
        result["decided"] = decided
        parts.append("\n".join(f"{name}: {value}" for name, value in decided.items()))
    if "simulated" in options.parts:
        result["simulated"], text = compare(costs, random.Random(SEED))
        parts.append(text)
    said = "\n\n".join(parts)
    if options.keep:
        _keep(options, result, said)
    return result, said


def _keep(options: argparse.Namespace, result: dict[str, Any], said: str) -> None:
    command = f"personalq bench serving --parts {' '.join(options.parts)} "
    command += f"--bases {options.bases} " if options.bases else ""
    command += f"--requests {options.requests} --clients {options.clients} --keep {options.keep}"
    keep(
        options.keep, result, f"# `personalq serve`, measured\n\n`{command}`\n\n```\n{said}\n```\n"
    )


def requests_of(
    models: Path, number: int, names: Sequence[str] = DEMO_NAMES
) -> list[tuple[str, str]]:
    """(request, name of its model): each of these models by its name, as often as the others."""
    repository = Repository.open(models / "checkpoints", models / "loras", embedder=None)
    found = []
    for name in names:
        decision = check_in(f"{name} on the beach", repository)
        if decision.card and decision.card.name == name:
            found.append((f"{name} on the beach", name))
    many = (found * (number // len(found) + 1))[:number]
    random.Random(SEED).shuffle(many)
    return many


def _places(options: argparse.Namespace) -> tuple[Path, Path]:
    comfyui = find_comfyui(options.comfyui)
    if comfyui is None:
        raise ValueError("this needs ComfyUI 0.33 or newer; set COMFYUI_PATH or give --comfyui")
    return comfyui, make_demo(options.demo).folder.absolute()


def _times(options: argparse.Namespace) -> Costs:
    """Seconds of a painter: to draw, to change the LoRA, to load and quantize another base."""
    comfyui, _ = _places(options)
    bases = [Path(model.path).stem for model in MODELS if not model.is_lora]
    loras = [Path(model.path).stem for model in MODELS if model.is_lora and "/bear/" in model.path]
    order = [loras[0], *loras[:4], loras[3], loras[3], *(name for name in bases for _ in "123")]
    asked = [(f"{name} on the beach", name) for name in order]
    more = ["--cores", options.cores, "--device", options.device]
    with tempfile.TemporaryDirectory() as folder:
        # quantized weights lie beside the models: a copy has none yet
        models = Path(folder).resolve() / "models"
        make_demo(models)
        with service(comfyui, models, Path(folder).resolve() / "state", more) as (url, _):
            spent = [one.seconds for one in ask_all(url, asked, 1, options.side)]
    draw = statistics.median([*spent[5:7], *spent[8:10], *spent[11:13]])
    switch = max(statistics.median(spent[2:5]) - draw, 0.0)
    fetch = max(statistics.mean([spent[7], spent[10]]) - draw, 0.0)
    return Costs(draw=round(draw, 2), switch=round(switch, 2), fetch=round(fetch, 2))


def _rows(options: argparse.Namespace) -> Iterator[Row]:
    ways: dict[str, tuple[str, int, list[str]]] = {
        "one": ("one painter", 1, []),
        "two": ("two painters", 2, []),
        "any": ("two, whatever they hold", 2, ["--any-painter"]),
        "killed": ("two, one killed again and again", 2, []),
    }
    for part in options.parts:
        if part not in ways:
            continue
        comfyui, demo = _places(options)
        name, painters, more = ways[part]
        more += ["--painters", str(painters), "--cores", options.cores, "--device", options.device]
        with tempfile.TemporaryDirectory() as folder:
            state, models = Path(folder).resolve() / "state", Path(folder).resolve() / "models"
            _copy(demo, models)
            names = more_bases(models, options.bases) or DEMO_NAMES
            requests = requests_of(models, options.requests, names)
            with service(comfyui, models, state, more) as (url, _):
                killed: list[int] = []
                started = time.perf_counter()
                with _killing(state, options.kill_every if part == "killed" else None, killed):
                    asked = ask_all(url, requests, options.clients, options.side)
                seconds = time.perf_counter() - started
                loads = loads_of(state)
        yield _row(name, painters, asked, seconds, len(killed), loads)


def _copy(demo: Path, models: Path) -> None:
    """The demo models without quantized weights, so that each row begins with none."""
    left_out = shutil.ignore_patterns("personalq", "*.sqlite")

    def copy(one: str, other: str) -> None:
        try:
            os.link(one, other)
        except OSError:  # on another disk
            shutil.copy2(one, other)

    shutil.copytree(demo, models, ignore=left_out, copy_function=copy)


def _row(
    name: str, painters: int, asked: Sequence[Asked], seconds: float, killed: int, loads: Loads
) -> Row:
    times = sorted(one.seconds for one in asked)
    return Row(
        name,
        painters,
        len(asked),
        sum(not one.drawn for one in asked),
        sum(bool(one.drawn) and one.drawn != (one.model,) for one in asked),
        killed,
        round(len(asked) / seconds * 60, 1),
        round(statistics.median(times), 2),
        round(times[int(0.95 * (len(times) - 1))], 2),
        **asdict(loads),
    )


@contextmanager
def _killing(state: Path, every: float | None, killed: list[int]) -> Iterator[None]:
    """Within it, one ComfyUI of the service is killed every so many seconds."""
    end = threading.Event()

    def kill() -> None:
        while every and not end.wait(every):
            there = subprocess.run(["pgrep", "-f", f"user-directory {state}"], capture_output=True)
            if found := there.stdout.split():
                one = int(random.choice(found))
                os.kill(one, signal.SIGKILL)
                killed.append(one)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
