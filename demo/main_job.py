"""Run PersonalQ's main job on the demo repository.

Requests in plain words become pictures from a quantized UNet. `python quickstart.py` runs this
inside the environment that it made. The exit codes are the same: 0, 1, 3, 130.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from .conversation import REQUESTS, Conversation, Request, Turn, converse
from .exit_codes import FAILED, NEXT_WITHOUT_COMFYUI, NEXT_WITHOUT_ROOM, NO_COMFYUI, OK, STOPPED
from .repository import make_demo


def main(argv: Sequence[str]) -> int:
    """Make the demo repository, run the requests, print the summary; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m personalq.demo.main_job", description=__doc__)
    parser.add_argument(
        "--comfyui",
        type=Path,
        help="ComfyUI's folder; without it only the parts that need none run",
    )
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--environment-seconds", type=float, default=0.0)
    options = parser.parse_args(argv)
    try:
        return _run(options)
    except OSError as error:
        print(f"\nFailed: {error}\nNext: {NEXT_WITHOUT_ROOM}")
        return FAILED
    except KeyboardInterrupt:  # quickstart.py says it
        return STOPPED


def _run(options: argparse.Namespace) -> int:
    started = time.perf_counter()
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
    demo = make_demo(options.out / "demo")
    seconds = {
        "environment": options.environment_seconds,
        "demo repository": time.perf_counter() - started,
    }
    print(
        f"Demo repository: {demo.models} personalised models in "
        f"{demo.folder} ({demo.bytes / 1e6:.0f} MB)\n",
        flush=True,
    )
    summary: dict[str, Any] = {"demo": demo.to_dict(), "seconds": seconds}
    if options.comfyui:
        code = _with_comfyui(options.comfyui, demo.folder, options.out, summary)
    else:
        code = _without_comfyui(demo.folder, options.out, summary)
    print("Seconds: " + ", ".join(f"{step} {value:.1f}" for step, value in seconds.items()))
    if options.json:
        options.json.write_text(
            json.dumps(summary | {"exit_code": code}, indent=2), encoding="utf-8"
        )
    return code


def _with_comfyui(comfyui: Path, demo: Path, out: Path, summary: dict[str, Any]) -> int:
    from .host_process import HostError, HostProcess
    from .through_host import decide

    try:
        with HostProcess(comfyui, demo, out / "host") as host:
            summary["seconds"]["start of ComfyUI"] = host.start_seconds
            pictures = out / "pictures"
            talks = [
                converse(request, partial(decide, host, request, pictures=pictures, seed=seed), say)
                for seed, request in enumerate(REQUESTS)
            ]
            print(f"Pictures: {pictures}   ComfyUI's log: {host.log_file}")
    except HostError as error:
        log = out / "host" / "comfyui.log"
        print(f"\nFailed: {error}\nNext: read {log}; docs/troubleshooting.md says what to report.")
        summary["error"] = str(error)
        return FAILED
    return OK if _sum_up(talks, summary) else FAILED


def _without_comfyui(demo: Path, out: Path, summary: dict[str, Any]) -> int:
    from ..checkin import Repository
    from .without_comfyui import decide_and_draw

    repository = Repository.open(demo / "checkpoints", demo / "loras")
    pictures = out / "pictures"
    talks = [
        converse(
            request,
            partial(decide_and_draw, repository, request, demo=demo, pictures=pictures, seed=seed),
            say,
        )
        for seed, request in enumerate(REQUESTS)
    ]
    print(f"Pictures, drawn through diffusers: {pictures}")
    summary["left_out"] = (
        "The nodes and all else that runs in ComfyUI: there is none here, and it cannot be cloned."
    )
    print(f"\nLeft out: {summary['left_out']}\nNext: {NEXT_WITHOUT_COMFYUI}")
    return NO_COMFYUI if _sum_up(talks, summary) else FAILED


def _sum_up(talks: Sequence[Conversation], summary: dict[str, Any]) -> bool:
    """Add the conversations to the summary, print what went wrong, return whether nothing did."""
    summary["requests"] = [talk.to_dict() for talk in talks]
    for number, talk in enumerate(talks, start=1):
        for run, turn in enumerate(talk.turns, start=1):
            summary["seconds"][f"request {number} run {run}"] = turn.seconds
        if not talk.as_expected:
            outcomes = ", ".join(turn.outcome for turn in talk.turns)
            print(
                f"Failed: '{talk.request.text}' gave {outcomes} instead of "
                f"{', '.join(talk.request.expected)}."
            )
    return all(talk.as_expected for talk in talks)


def say(request: Request, turn: Turn) -> None:
    """Print one turn."""
    print(f"> {request.text}\n  {turn.outcome}: {turn.why}")
    if turn.question:
        print(f"  {turn.question}")
        for choice in turn.choices:
            print(f"    {'*' if choice == turn.answer else '-'} {choice}")
    for near in turn.near:
        print(f"  near: {near}")
    if turn.prompt:
        print(f"  prompt: {turn.prompt}")
    if turn.unet_bytes_before and turn.unet_bytes_after:
        before, after = turn.unet_bytes_before, turn.unet_bytes_after
        print(
            f"  UNet: {before / 1e6:.1f} MB in fp16, {after / 1e6:.1f} MB quantized "
            f"({after / before:.2f})"
        )
    if turn.picture:
        print(f"  picture: {turn.picture}")
    for notice in turn.notices:
        print(f"  note: {notice}")
    print(f"  {turn.seconds:.2f} s\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
