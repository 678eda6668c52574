"""Further requests to the same libraries: in other languages, or for several models at once."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from ...checkin.lexicon.languages import profiles
from ..evidence.markdown import markdown
from ..timed import timed
from .ablations import WHOLE
from .checkin import Selector, checkin
from .clicks import MOST, clicks
from .further_sets import LEARNED_FROM, SETS, asked
from .held_out import HeldOut
from .library import Request
from .open_library import OpenLibrary, open_half, opened
from .report import columns, row, wrong_answers
from .run import Judged, Result
from .score import lacks_only, verdict


def evaluate(which: str, half: str, select: Selector = checkin) -> list[Result]:
    """Return what a selector answers to each group of a set; `method` is the language or library.

    Raises ValueError for a half without requests; NoAnswer where a language model gives none.
    """
    found: dict[str, list[Judged]] = {}
    learned_from = which == LEARNED_FROM and half == "open"
    with ExitStack() as stack:
        held_out = HeldOut(stack.enter_context(open_half()) if learned_from else [])
        for group, one in asked(which, half):
            with opened(one) as at, held_out.deciding(at, WHOLE):
                found.setdefault(group, []).extend(_judged(at, select))
    if not found:
        raise ValueError(f"the {half} half has no requests of the set '{which}'")
    return [Result(group, tuple(judged)) for group, judged in sorted(found.items())]


def table(which: str, results: list[Result]) -> str:
    """Return a table with a row for each group of a set and one for all of them."""
    names = {one.code: one.name for one in profiles()}
    every = Result("all", tuple(one for result in results for one in result.judged))
    rows = [
        row(names.get(one.method, one.method), one.totals())
        for one in (*results, *([every] if len(results) > 1 else []))
    ]
    several = _of_several(SETS[which], [*results, every]) if which != LEARNED_FROM else ""
    text = markdown([columns(SETS[which]), *rows])
    return f"{text}\n\n{several}{_too_few(every)}{_after_clicks(every)}"


def _of_several(group: str, results: list[Result]) -> str:
    """A table of the requests that mean several models at once; "" where there are none."""
    rows = []
    for result in results:
        said = [one for one in result.judged if _means_several(one.request)]
        if said:
            right = sum(one.verdict == "right" for one in said)
            silent = [one for one in said if one.verdict == "silent error"]
            wrong = sum(
                not lacks_only(one.request, one.answer, one.at.library.original) for one in silent
            )
            shares = (f"{count / len(said):.1%}" for count in (right, wrong))
            rows.append([result.method, str(len(said)), *shares])
    head = [group, "mean several models", "all right", "a wrong one silently taken"]
    return f"{markdown([head, *rows])}\n\n" if rows else ""


def _means_several(request: Request) -> bool:
    best = request.accepted[0]
    return best.outcome == "select" and len(best.models) > 1


def _too_few(result: Result) -> str:
    lacking = sum(
        one.verdict == "silent error"
        and lacks_only(one.request, one.answer, one.at.library.original)
        for one in result.judged
    )
    silent = sum(one.verdict == "silent error" for one in result.judged)
    return f"Of {silent} silent errors, {lacking} lack a model and take no wrong one."


def _after_clicks(result: Result) -> str:
    if all(one.clicks is None for one in result.judged):
        return ""
    shares = [
        sum(
            one.verdict == "right" or (one.clicks is not None and one.clicks <= most)
            for one in result.judged
        )
        / len(result.judged)
        for most in range(MOST + 1)
    ]
    said = ", ".join(f"{share:.1%}" for share in shares)
    return f"\n\nRight at once, and after up to {MOST} clicks on what the node offers: {said}."


def errors(results: list[Result]) -> str:
    """Return each wrong answer of each group."""
    names = {one.code: one.name for one in profiles()}
    return "\n\n".join(wrong_answers(names.get(one.method, one.method), one) for one in results)


def _judged(at: OpenLibrary, select: Selector) -> list[Judged]:
    requests = at.library.requests
    runs = [partial(select, request.text, at) for request in requests]
    return [
        Judged(
            at,
            request,
            replace(answer, milliseconds=taken),
            verdict(request, answer, at.library.original),
            clicks(request, at) if select is checkin else None,
        )
        for request, (answer, taken) in zip(requests, timed(runs), strict=True)
    ]
