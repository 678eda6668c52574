"""`personalq bench libraries`: ask strangers' requests of their libraries, with every selector."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...checkin.llm import NoAnswer, Profile, profile_named
from ...checkin.user.settings import settings_folder
from ..machine import environment
from ..result_file import make_ready
from ..selection.everything import PACKAGES, RESULTS
from ..selection.run import CHECKIN_LLM
from . import further, further_sets
from .ablations import WHOLE
from .clear_shares import clear_shares
from .judging import judgements
from .learn import learn
from .learn_parts import learn_parts
from .library import library_names
from .paired import paired
from .report import errors, judged_table, kinds_table, parts_table, plot, table
from .run import Judged, Result, evaluate, methods_of, selector

_ABOUT_SELECTORS = """\
A selector by scores takes the newest build of the best lineage. With thresholds, it declines below
one score and asks within another; both are tuned on the other libraries of the open half. Check-in
is offline here: no language model and no embeddings."""
_ABOUT_WEIGHTS = """\
Each library is judged with weights that Check-in learned from the other libraries of the open half,
also where a part is taken away. Its rules and thresholds were set while these libraries were open:
expect less on your own."""
_SHIPPED = "Check-in has the weights that are shipped; they were learned from the open half."
_ABOUT_PARTS = """\
The same requests, in points of the share that is right; in brackets 95 % intervals of paired
differences."""
_WITHOUT_LLM = """\
Stylus' composer and Check-in with a language model are not in these tables: they need one, which
`--profile NAME` names. Without it, Stylus is its retriever alone, with MiniLM in place of its own
embedder."""
_ABOUT_CALLS = """
Check-in asks it {calls_per_request:.2f} questions a request, for models and for words, without
retries; to {not_heard} of them no answer came. It is not asked for models where the evidence is
clear: with weights learned from the other libraries {clear[clear]} of {clear[requests]} requests
that the history does not decide are clear, and of these {clear[right]} are decided right."""
_ABOUT_JUDGE = """\
For requests where both select, and other models: each pair is rated in both orders by the rubric in
bench/selection/llm_judge.py. The intent score, 1 to 5, is the mean over four aspects and both
orders; a preference counts where both orders agree."""
_NOTE = "This was a look at the sealed half: note it, with its date, in bench/libraries/SEALED.md."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench libraries`."""
    parser.add_argument(
        "--sealed", action="store_true", help="the sealed half; of it, totals alone are shown"
    )
    further_set = parser.add_mutually_exclusive_group()
    further_set.add_argument(
        "--languages",
        action="store_true",
        help="requests in other languages: one selector's answers, a row for each language",
    )
    further_set.add_argument(
        "--several",
        action="store_true",
        help="requests for several models at once: one selector's answers, a row for each library",
    )
    further_set.add_argument(
        "--newcomers",
        action="store_true",
        help="requests of people with some 70 models: one selector's answers, a row for each",
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
        "--write", action="store_true", help="table and plot of all selectors go to bench/results"
    )
    parser.add_argument(
        "--profile",
        metavar="NAME",
        help="a language model for Stylus' composer and Check-in: up to three questions a request",
    )
    parser.add_argument(
        "--judge",
        metavar="PROFILE",
        help="a language model that compares Check-in with the others: two questions a pair",
    )
    parser.add_argument(
        "--settings",
        type=Path,
        default=settings_folder(),
        metavar="FOLDER",
        help="profiles and keys",
    )


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the totals of all selectors, or of one, and their tables.

    Raises ValueError for options that exclude each other, and as `evaluate` does.
    """
    if options.learn:
        found, text = learn()
        return found, f"{text}\n\n{learn_parts()}"
    _check(options)
    make_ready(options.out)
    half = "sealed" if options.sealed else "open"
    which = next((one for one in further_sets.SETS if getattr(options, one)), None)
    profiles = [
        profile_named(name, options.settings) if name else None
        for name in (options.profile, options.judge)
    ]
    try:
        if which:
            return _further(options, which, half, profiles[0])
        found, results = _measured(options, half, *profiles)
    except NoAnswer as error:
        raise ValueError(f"the language model: {error}") from None
    if options.out:
        answers = {} if options.sealed else {"answers": _answers(results)}
        options.out.write_text(json.dumps(found | answers, indent=1) + "\n", "utf-8")
    if options.errors:
        return found, errors(results[-1])
    text = _text(found)
    if options.write:
        _write(found, text, RESULTS)
    return found, f"{text}\n{_NOTE}\n" if options.sealed else text


def _further(
    options: argparse.Namespace, which: str, half: str, llm: Profile | None
) -> tuple[dict[str, Any], str]:
    if options.write or options.judge:
        raise ValueError(f"--{which} has no table of all selectors: leave out --write and --judge")
    method = options.method or "checkin"
    select, part = selector(method, llm, options.settings)
    if part is not WHOLE:
        raise ValueError(f"--{which} is for whole selectors: '{method}' is Check-in without a part")
    results = further.evaluate(which, half, select)
    totals = [result.totals() for result in results]
    found = {"about": environment(*PACKAGES), "half": half, which: totals}
    if options.out:
        answers = {} if options.sealed else {"answers": _answers(results)}
        options.out.write_text(json.dumps(found | answers, indent=1) + "\n", "utf-8")
    if options.errors:
        return found, further.errors(results)
    text = (
        f"# Requests of the set '{which}', {half} half: {method}\n\n"
        f"{sum(one['requests'] for one in totals)} "
        f"requests. Shares of requests; in brackets 95 % intervals.\n\n"
        f"{further.table(which, results)}\n"
    )
    return found, f"{text}\n{_NOTE}\n" if options.sealed else text


def _check(options: argparse.Namespace) -> None:
    if options.errors and options.sealed:
        raise ValueError("--errors is for the open half: nobody reads the sealed one")
    if options.judge and options.sealed:
        raise ValueError("--judge is for the open half: nobody sends the sealed one anywhere")
    if options.profile and options.sealed:
        raise ValueError("--profile is for the open half: nobody sends the sealed one anywhere")
    if options.write and (options.method or options.errors):
        raise ValueError("--write is for all selectors: leave out --method and --errors")


def _measured(
    options: argparse.Namespace, half: str, llm: Profile | None, judge: Profile | None
) -> tuple[dict[str, Any], list[Result]]:
    one = options.method or ("checkin" if options.errors else None)
    methods = [one] if one else list(methods_of(half, llm))
    if (judge or one == CHECKIN_LLM) and "checkin" not in methods:
        methods.insert(0, "checkin")
    results = evaluate(methods, half, llm, options.settings)
    found = {
        "about": environment(*PACKAGES),
        "half": half,
        "libraries": library_names(half),
        "methods": [result.totals() for result in results],
    }
    if llm:
        found["language_model"] = {"profile": llm.name, "model": llm.model}
    if CHECKIN_LLM in methods:
        found["clear"] = clear_shares()
    whole = {result.method: result for result in results}.get("checkin")
    parts = [result for result in results if result.method.startswith("checkin-")]
    if whole and parts:
        found["parts"] = [paired(whole, result) for result in parts]
    if judge:
        found["judge"] = {"profile": judge.name, "model": judge.model}
        found["judged"] = judgements(results, judge, options.settings)
    return found, results


def _answers(results: Sequence[Result]) -> dict[str, list[dict[str, Any]]]:
    return {result.method: [_answer(one) for one in result.judged] for result in results}


def _answer(one: Judged) -> dict[str, Any]:
    return {
        "id": one.request.id,
        "verdict": one.verdict,
        "outcome": one.answer.outcome,
        "models": one.answer.models,
        "choices": one.answer.choices,
        "prompt": one.answer.prompt,
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
        _ABOUT_WEIGHTS if half == "open" else _SHIPPED,
        "",
        _language_model(found),
        "",
        "## Right by kind of request (number of requests)",
        "",
        kinds_table(methods),
    ]
    if "parts" in found:
        lines += ["", "## What each part of Check-in is worth", "", _ABOUT_PARTS, ""]
        lines += [parts_table(found["parts"])]
    if "judged" in found:
        judge = found["judge"]
        lines += ["", f"## Judged by {judge['model']} ({judge['profile']})", "", _ABOUT_JUDGE, ""]
        lines += [judged_table(found["judged"])]
    return "\n".join(lines) + "\n"


def _language_model(found: dict[str, Any]) -> str:
    if "language_model" not in found:
        return _WITHOUT_LLM
    model = found["language_model"]
    said = f"The language model is {model['model']} (profile {model['profile']})."
    asked = [one for one in found["methods"] if one["method"] == CHECKIN_LLM]
    return said + "".join(_ABOUT_CALLS.format(**one, clear=found["clear"]) for one in asked)


def _write(found: dict[str, Any], text: str, results: Path) -> None:
    """Write the result as JSON, Markdown and a plot; each half has files of its own."""
    name = "libraries" if found["half"] == "open" else f"libraries_{found['half']}"
    picture = f"\n![what the answers of each selector are worth]({name}.png)\n"
    results.mkdir(parents=True, exist_ok=True)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (results / f"{name}.md").write_text(text + picture, "utf-8")
    plot(found["methods"], results / f"{name}.png")
