"""`personalq bench`: the demo repository and the measurements."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..checkin.user.settings import settings_folder
from ..demo.catalogue import GUIDANCE


def main(argv: Sequence[str]) -> int:
    """Runs one subcommand; returns the exit code."""
    options = _parser().parse_args(argv)
    run: Callable[[argparse.Namespace], tuple[dict[str, Any], str]] = options.run
    try:
        result, text = run(options)
    except (ValueError, RuntimeError, OSError) as error:
        print(f"personalq bench: {error}", file=sys.stderr)
        return 1
    print(json.dumps(result, indent=2) if options.json else text)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="personalq bench", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    demo = commands.add_parser(
        "demo", help="write a small repository of models to try things on (0.9 GB)"
    )
    demo.add_argument("folder", type=Path, help="becomes a models folder: checkpoints/ and loras/")
    demo.set_defaults(run=_demo)

    checkin = commands.add_parser(
        "checkin", help="time scans and decisions on a generated repository"
    )
    checkin.add_argument(
        "--models", type=int, nargs="+", default=[1000], help="sizes; 100000 takes 5 GB and minutes"
    )
    checkin.add_argument("--decisions", type=int, default=160)
    checkin.add_argument("--keep", action="store_true", help="write the table to bench/results")
    checkin.set_defaults(run=_checkin)

    prompts = commands.add_parser(
        "repo-prompts", help="write the benchmark of selection: 1,000 cards, 500 queries"
    )
    prompts.add_argument("folder", type=Path)
    prompts.add_argument("--seed", type=int, default=0)
    prompts.set_defaults(run=_repo_prompts)

    selection = commands.add_parser(
        "selection", help="judge a selector on Repo-Prompts, or on any queries in its form"
    )
    selection.add_argument(
        "--cards", type=Path, metavar="CARDS.JSONL", help="default: Repo-Prompts itself"
    )
    selection.add_argument("--queries", type=Path, metavar="QUERIES.JSONL")
    selection.add_argument("--now", metavar="ISO", help="the moment of asking, with a zone")
    selection.add_argument(
        "--method", default="checkin", help="checkin, bm25, stylus, ...; an unknown one lists them"
    )
    selection.add_argument(
        "--llm",
        metavar="PROFILE",
        help="a language model, for checkin-llm, stylus-composer, judging",
    )
    selection.add_argument(
        "--settings",
        type=Path,
        default=settings_folder(),
        metavar="FOLDER",
        help="profiles and keys",
    )
    selection.add_argument(
        "--all", action="store_true", help="every method; table and plot go to bench/results"
    )
    selection.add_argument(
        "--json", type=Path, metavar="OUT.JSON", dest="out", help="write each answer and the totals"
    )
    selection.set_defaults(run=_selection, json=False)

    counted = commands.add_parser(
        "bytes", help="count a full-size UNet's bytes in fp16, W8A8 and W4A8"
    )
    counted.add_argument("--model", choices=("sd15", "sdxl"), default="sd15")
    counted.set_defaults(run=_bytes)

    steps = commands.add_parser(
        "steps", help="time sampling steps in a real ComfyUI, with and without TAQ"
    )
    steps.add_argument("--comfyui", type=Path, help="ComfyUI's folder (default: look for one)")
    steps.add_argument(
        "--demo",
        type=Path,
        default=Path("out/demo"),
        help="demo repository, made when it is not there",
    )
    steps.add_argument("--repeats", type=int, default=5)
    steps.add_argument("--side", type=int, default=128, help="pixels")
    steps.set_defaults(run=_steps)

    taq = commands.add_parser(
        "taq", help="TAQ beside other tools on one UNet; serving many models from one base"
    )
    taq.add_argument("--model", choices=("tiny", "sd15", "sdxl"), default="tiny")
    taq.add_argument(
        "--quick", action="store_true", help="the tiny UNet at 64 px, and the demo's for serving"
    )
    taq.add_argument("--side", type=int, default=256, help="pixels")
    taq.add_argument(
        "--checkpoint",
        type=Path,
        metavar="FILE",
        help="your own single-file checkpoint of that kind",
    )
    taq.add_argument("--repeats", type=int, default=5)
    taq.add_argument("--compiled", action="store_true", help="by torch.compile")
    taq.add_argument(
        "--comfyui", type=Path, help="ComfyUI's folder, for serving (default: look for one)"
    )
    taq.add_argument(
        "--out",
        type=Path,
        default=Path("out/taq.json"),
        help="kept as it goes; an interrupted run goes on",
    )
    taq.add_argument("--keep", action="store_true", help="write the table to bench/results")
    taq.set_defaults(run=_taq)

    _add_evidence(commands)

    world = commands.add_parser(
        "world", help="how well the package's own trained models draw what is asked for"
    )
    world.add_argument("--samples", type=int, default=96, help="pictures of the base")
    world.add_argument(
        "--of-each", type=int, default=20, help="pictures of each personalised model, twice"
    )
    world.add_argument("--steps", type=int, default=20)
    world.add_argument("--guidance", type=float, default=GUIDANCE)
    world.add_argument(
        "--keep", action="store_true", help="write table and pictures to bench/results"
    )
    world.set_defaults(run=_world)

    for command in (demo, checkin, prompts, counted, steps, taq, world):
        command.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser


def _add_evidence(commands: Any) -> None:
    evidence = commands.add_parser(
        "evidence", help="what quantization does to pictures: the paper's tables"
    )
    evidence.add_argument(
        "tables",
        nargs="*",
        metavar="TABLE",
        help="sensitivity, methods, quantizers, coupling, controls (default: all)",
    )
    evidence.add_argument(
        "--quick", action="store_true", help="minutes on a CPU: few models, pictures and steps"
    )
    evidence.add_argument("--models", type=int, help="personalised models of the miniature world")
    evidence.add_argument("--pictures", type=int, help="of each model")
    evidence.add_argument("--steps", type=int, help="of sampling")
    evidence.add_argument("--seed", type=int, default=0)
    evidence.add_argument(
        "--weights",
        choices=("nearest", "adaround", "brecq"),
        default="nearest",
        help="how weights are rounded",
    )
    evidence.add_argument(
        "--iterations", type=int, default=400, help="of learning each rounding (published: 20000)"
    )
    own = evidence.add_argument_group(
        "on a checkpoint of your own, in place of the miniature world"
    )
    own.add_argument(
        "--checkpoint", type=Path, metavar="FILE", help="a single-file SD1.5, SDXL or SDXL-Turbo"
    )
    own.add_argument(
        "--trigger", default="", metavar="WORD", help="what stands for your subject in a prompt"
    )
    own.add_argument(
        "--class", default="", dest="noun", metavar="WORD", help='its class word, such as "dog"'
    )
    own.add_argument(
        "--turbo", action="store_true", help="SDXL-Turbo: 4 steps at 512 px without guidance"
    )
    own.add_argument(
        "--side", type=int, metavar="PIXELS", help="default: what the architecture draws"
    )
    own.add_argument("--prompts", choices=("dreambooth", "parti", "coco"), default="dreambooth")
    own.add_argument(
        "--scores",
        nargs="+",
        default=[],
        metavar="SCORE",
        help="fid, clip, lpips, dino: by torchmetrics' networks",
    )
    evidence.add_argument(
        "--out",
        type=Path,
        default=Path("out/evidence.json"),
        help="kept as it goes; an interrupted run goes on",
    )
    evidence.add_argument(
        "--keep", action="store_true", help="write tables and plots to bench/results"
    )
    evidence.add_argument("--json", action="store_true", help="print the result as JSON")
    evidence.set_defaults(run=_evidence)


def _demo(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from ..demo.repository import make_demo

    made = make_demo(options.folder)
    return (
        made.to_dict(),
        f"{made.folder}: {made.models} personalised models, {made.written} files written now",
    )


def _checkin(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from . import checkin_time

    result = checkin_time.measure(options.models, options.decisions)
    if options.keep:
        checkin_time.keep(result)
    return result, checkin_time.report(result)


def _repo_prompts(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from .repo_prompts import write

    folder = write(options.folder, options.seed)
    return {
        "folder": str(folder),
        "seed": options.seed,
    }, f"{folder}: cards.jsonl, queries.jsonl and about.json"


def _selection(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from .selection import command

    if options.all:
        return {}, command.everything()
    result = command.one(
        options.method, options.cards, options.queries, options.now, options.llm, options.settings
    )
    if options.out:
        options.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return result, command.summary(result)


def _bytes(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from . import unet_bytes

    result = unet_bytes.measure(options.model)
    return result, unet_bytes.report(result)


def _steps(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from ..comfyui_folder import find_comfyui
    from ..demo.repository import make_demo
    from . import step_time

    comfyui = find_comfyui(options.comfyui)
    if comfyui is None:
        raise ValueError("this needs ComfyUI 0.33 or newer; set COMFYUI_PATH or give --comfyui")
    result = step_time.measure(
        comfyui, make_demo(options.demo).folder, repeats=options.repeats, side=options.side
    )
    return result, step_time.report(result)


def _world(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from .world import evaluate

    figures, pictures = evaluate.evaluate(
        options.samples, options.of_each, options.steps, options.guidance
    )
    if options.keep:
        evaluate.keep(figures, pictures)
    return figures, evaluate.report(figures)


def _taq(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from .taq import everything

    model, side = ("tiny", 64) if options.quick else (options.model, options.side)
    result = everything.measure(
        model,
        side,
        options.checkpoint,
        options.repeats,
        options.compiled,
        options.comfyui,
        options.out,
    )
    if options.keep:
        everything.keep(result)
    return result, everything.report(result)


def _evidence(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from .evidence import command
    from .evidence.options import options_of

    chosen = options_of(options)
    measured = command.run(options.tables, chosen)
    if options.keep:
        command.keep(measured, chosen)
    return {one.name: one.as_dict() for one in measured}, "\n".join(
        one.markdown() for one in measured
    )
