"""`personalq bench two-loras`: how often the judge sees both subjects in a picture.

Drawn in a real ComfyUI, in full precision and quantized, from the same noise.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from PIL import Image

from ...comfyui_folder import find_comfyui
from ...demo.catalogue import DemoModel
from ...demo.host_process import HostError, HostProcess, failure
from ...demo.repository import make_demo
from ...demo.world.library import file_stem
from .. import kept_results
from ..evidence.markdown import markdown
from ..evidence.provenance import about, models_digest
from ..evidence.resumable_run import ResumableRun
from ..wilson import wilson
from ..world.classifier import LABELS
from ..world.judge import trained_judge
from . import strengths
from .graph import Preset, Way, picture_graph
from .pairs import Pair, newest_loras, pairs, shows_both

RESULTS = Path(__file__).resolve().parents[1] / "results"
PRESETS: tuple[Preset, ...] = (None, "W8A8", "W4A8")
FULL = "full precision"
_SHOWN = 8
"""Pairs of each row that the sheet of pictures shows."""
WAYS: dict[Way, str] = {
    "places": "each in its own part of the picture",
    "whole": "both on the whole picture",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench two-loras`."""
    parser.add_argument("--comfyui", type=Path, help="ComfyUI's folder (default: look for one)")
    parser.add_argument(
        "--demo",
        type=Path,
        default=Path("out/demo"),
        help="demo repository, made when it is not there",
    )
    parser.add_argument("--ways", nargs="+", choices=get_args(Way), default=list(WAYS))
    parser.add_argument(
        "--strengths",
        action="store_true",
        help="instead: a subject in a style, at several strengths, in full precision",
    )
    parser.add_argument(
        "--pictures", type=int, default=32, help="in each precision and way, or at each strength"
    )
    parser.add_argument("--steps", type=int, default=8, help="of sampling")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out/two_loras"),
        help="pictures and what was seen; an interrupted run resumes",
    )
    parser.add_argument(
        "--keep", action="store_true", help="write table and pictures to bench/results"
    )


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the measurement, as data and as text. Raises ValueError without a ComfyUI."""
    if options.strengths:
        return _strengths(options)
    result = measure(options)
    if options.keep:
        keep(result, options.out)
    return result, report(result)


def _strengths(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the table of strengths, as data and as text."""
    done = _run(options, [*newest_loras(), strengths.style()])
    pictures = strengths.asked(options.pictures, options.seed)
    with ExitStack() as stack:
        host = cache(lambda: stack.enter_context(_host(options, stack)))
        rows = strengths.measure(done, pictures, _folder(options.out, done.settings), host)
    settings = done.settings | {"pictures": options.pictures}
    result = {"settings": settings, "about": done.about, "rows": rows}
    text = strengths.report(result)
    if options.keep:
        kept_results.keep(strengths.NAME, result, f"# {strengths.TITLE}\n\n{text}\n")
    return result, text


def _run(options: argparse.Namespace, models: Sequence[DemoModel]) -> ResumableRun:
    settings = {
        "trained models": models_digest([file_stem(model) for model in models]),
        "steps": options.steps,
        "seed": options.seed,
    }
    return ResumableRun(options.out / "seen.json", settings, about())


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Draw and judge what is missing in the folder `out`; return all rows."""
    asked = pairs(options.pictures, options.seed)
    done = _run(options, newest_loras())
    with ExitStack() as stack:

        @cache
        def host() -> HostProcess:
            return stack.enter_context(_host(options, stack))

        rows = [
            _row(done, way, preset, asked, options, host)
            for way in options.ways
            for preset in PRESETS
        ]
    for row in rows:
        exact = next(one for one in rows if one["way"] == row["way"] and one["bits"] == FULL)
        same = zip(row["shown"], exact["shown"], strict=True)
        row["as_exact"] = sum(a == b for a, b in same)
    settings = done.settings | {"pictures": len(asked)}
    return {"settings": settings, "about": done.about, "rows": rows}


def _host(options: argparse.Namespace, stack: ExitStack) -> HostProcess:
    comfyui = find_comfyui(options.comfyui)
    if comfyui is None:
        raise ValueError("this needs ComfyUI 0.33 or newer; set COMFYUI_PATH or give --comfyui")
    demo = make_demo(options.demo).folder
    base = stack.enter_context(tempfile.TemporaryDirectory())
    return HostProcess(comfyui, demo, Path(base))


def _row(
    done: ResumableRun,
    way: Way,
    preset: Preset,
    asked: Sequence[Pair],
    options: argparse.Namespace,
    host: Callable[[], HostProcess],
) -> dict[str, Any]:
    bits, seen = preset or FULL, []
    for number, pair in enumerate(asked):

        def draw(pair: Pair = pair, number: int = number) -> dict[str, Any]:
            graph = picture_graph(pair, way, preset, options.steps)
            entry = host().prompt(graph)
            if why := failure(entry):
                raise HostError(f"{pair.name}: {why}")
            place = _folder(options.out, done.settings) / f"{_name(way, bits, number)}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(host().pictures(entry)[0], place)
            return {"pair": pair.name, "halves": seen_in_halves(place)}

        seen.append(done.measurement(_name(way, bits, number), draw))
    halves = [found["halves"] for found in seen]
    shown = [
        shows_both(pair, found, way == "whole") for pair, found in zip(asked, halves, strict=True)
    ]
    return {
        "way": way,
        "bits": bits,
        "both": sum(shown),
        "of": len(shown),
        "interval": wilson(sum(shown), len(shown)),
        "shown": shown,
        "seen": [{"pair": found["pair"], "halves": found["halves"]} for found in seen],
    }


def seen_in_halves(picture: Path) -> list[str]:
    """The identities that the judge sees in the left and in the right half: "plush bear"."""
    with Image.open(picture) as image:
        pixels = torch.tensor(np.array(image.convert("RGB"))).permute(2, 0, 1) / 255
    halves = torch.stack(pixels.chunk(2, dim=2))
    return [LABELS["identity"][int(one)] for one in trained_judge().seen(halves)["identity"]]


def keep(result: dict[str, Any], out: Path, folder: Path = RESULTS) -> None:
    """Write the data, the table, and a sheet with a row of pictures for each row of the table."""
    drawn, name = _folder(out, result["settings"]), "two_loras"
    (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    text = f"# Two LoRAs on one model\n\n{report(result)}\n\n![pictures]({name}.webp)\n"
    (folder / f"{name}.md").write_text(text, "utf-8")
    shown = [
        [
            drawn / f"{_name(row['way'], row['bits'], number)}.png"
            for number in range(min(_SHOWN, row["of"]))
        ]
        for row in result["rows"]
    ]
    rows = [np.concatenate([np.array(Image.open(file)) for file in files], 1) for files in shown]
    Image.fromarray(np.concatenate(rows)).save(folder / f"{name}.webp", quality=80)


def report(result: dict[str, Any]) -> str:
    """Return the table in Markdown."""
    heading = ["way", "bits", "both subjects", "95 %", "as in full precision"]
    rows = [
        [
            WAYS[row["way"]],
            row["bits"],
            f"{row['both']} of {row['of']} ({row['both'] / row['of']:.0%})",
            "{:.0%} to {:.0%}".format(*row["interval"]),
            f"{row['as_exact']} of {row['of']}",
        ]
        for row in result["rows"]
    ]
    said = (f"{key} {value}" for key, value in {**result["settings"], **result["about"]}.items())
    return f"{', '.join(said)}.\n\n{markdown([heading, *rows])}"


def _name(way: Way, bits: str, number: int) -> str:
    return f"{way}_{bits.partition(' ')[0]}_{number:02}"


def _folder(out: Path, settings: dict[str, Any]) -> Path:
    """The folder of the pictures of one run."""
    return out / "-".join(f"{settings[key]:g}" for key in ("steps", "seed"))
