"""`personalq bench libraries`: ask strangers' requests of their libraries, with every selector."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...checkin.llm import profile_named
from ...checkin.user.settings import settings_folder
from ..machine import environment
from ..selection.everything import PACKAGES, RESULTS
from .learn import learn
from .library import library_names
from .report import errors, kinds_table, plot, table
from .run import METHODS, Judged, Result, evaluate
from .with_llm import with_llm

_ABOUT_SELECTORS = """\
A selector by scores takes the newest build of the best lineage. With thresholds, it declines below
one score and asks within another; both are tuned on the other libraries of the open half. Check-in
is offline here: no language model and no embeddings. Its weights were learned from the open half:
`--learn` judges each of these libraries with weights learned from the others."""
_NOTE = "This was a look at the sealed half: note it, with its date, in bench/libraries/SEALED.md."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench libraries`."""
    parser.add_argument(
        "--sealed", action="store_true", help="the sealed half; of it, totals alone are shown"
    )
    parser.add_argument(
        "--method", help="one selector: checkin, bm25, ...; an unknown one lists them"
    )
    parser.add_argument(
        "--errors",
        action="store_true",
        help="print each wrong answer of the selector (default: checkin), in the open half only",
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="OUT.JSON",
        dest="out",
        help="write the totals, and each answer in the open half",
    )
    parser.add_argument(
        "--learn", action="store_true", help="learn Check-in's weights from the open half anew"
    )
    parser.add_argument(
        "--llm", metavar="PROFILE", help="Check-in without and with a language model, open half"
    )
    parser.add_argument(
        "--settings",
        type=Path,
        default=settings_folder(),
        metavar="FOLDER",
        help="profiles and keys",
    )
    parser.add_argument(
        "--write", action="store_true", help="table and plot of all selectors go to bench/results"
    )


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the totals of all selectors, or of one, and their tables.

    Raises ValueError for options that exclude each other, and as `evaluate` does.
    """
    if options.learn:
        return learn()
    if options.llm:
        return _with_llm(options)
    if options.errors and options.sealed:
        raise ValueError("--errors is for the open half: nobody reads the sealed one")
    if options.write and (options.method or options.errors):
        raise ValueError("--write is for all selectors: leave out --method and --errors")
    half = "sealed" if options.sealed else "open"
    one = options.method or ("checkin" if options.errors else None)
    results = evaluate([one] if one else METHODS, half)
    found = _found(results, half)
    if options.out:
        answers = {} if options.sealed else {"answers": _answers(results)}
        options.out.write_text(json.dumps(found | answers, indent=1) + "\n", "utf-8")
    if options.errors:
        return found, errors(results[0])
    text = _text(found)
    if options.write:
        _write(found, text, RESULTS)
    return found, f"{text}\n{_NOTE}\n" if options.sealed else text


def _with_llm(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    if options.sealed or options.method or options.errors or options.write:
        raise ValueError("--llm is for Check-in in the open half: leave out the other options")
    profile = profile_named(options.llm, options.settings)
    found, text = with_llm(profile, options.settings)
    found = {"about": environment(*PACKAGES)} | found
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return found, text


def _found(results: Sequence[Result], half: str) -> dict[str, Any]:
    return {
        "about": environment(*PACKAGES),
        "half": half,
        "libraries": library_names(half),
        "methods": [result.totals() for result in results],
    }


def _answers(results: Sequence[Result]) -> dict[str, list[dict[str, Any]]]:
    return {result.method: [_answer(one) for one in result.judged] for result in results}


def _answer(one: Judged) -> dict[str, Any]:
    return {
        "id": one.request.id,
        "verdict": one.verdict,
        "outcome": one.answer.outcome,
        "models": one.answer.models,
        "choices": one.answer.choices,
        "milliseconds": round(one.answer.milliseconds, 3),
    }


def _text(found: dict[str, Any]) -> str:
    about, methods, half = found["about"], found["methods"], found["half"]
    option = " --sealed" if half == "sealed" else ""
    lines = [
        f"# Strangers' libraries, {half} half",
        "",
        f"`personalq bench libraries{option}` on {about['processor']}, Python {about['python']}: "
        f"{len(found['libraries'])} libraries,",
        f"{methods[0]['requests']} requests. Shares of requests; in brackets 95 % intervals.",
        "",
        table(methods),
        "",
        _ABOUT_SELECTORS,
        "",
        "## Right by kind of request (number of requests)",
        "",
        kinds_table(methods),
    ]
    return "\n".join(lines) + "\n"


def _write(found: dict[str, Any], text: str, results: Path) -> None:
    """Write the result as JSON, Markdown and a plot; each half has files of its own."""
    name = "libraries" if found["half"] == "open" else f"libraries_{found['half']}"
    picture = f"\n![what the answers of each selector are worth]({name}.png)\n"
    results.mkdir(parents=True, exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (results / f"{name}.md").write_text(text + picture, "utf-8")
    plot(found["methods"], results / f"{name}.png")
