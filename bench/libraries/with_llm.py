"""What a language model adds to Check-in in strangers' libraries, and how often it is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from ...checkin import check_in
from ...checkin.decision import by_evidence, reasoner
from ...checkin.decision.clear import is_clear
from ...checkin.llm import OFFLINE, Profile
from ..evidence.markdown import markdown
from ..selection.report import name_of
from .checkin import _answer
from .learn import Lesson, _model
from .library import library_names, read_library
from .open_library import OpenLibrary, opened
from .score import totals, verdict

_VERDICTS = ("right", "silent error", "unnecessary question", "declined")
_ABOUT = """\
Calls are questions to the language model, for models and for words of the request, without retries.
It is not asked for models where the evidence is clear. With weights learned from the other
libraries {clear} of {requests} requests that the history does not decide are clear, and of these
{right} are decided right.
"""


def with_llm(profile: Profile, settings: Path | None) -> tuple[dict[str, Any], str]:
    """Return the totals of Check-in without and with a language model, and their table.

    Raises ValueError if there is no open library.
    """
    if not library_names("open"):
        raise ValueError("the open half has no libraries")
    with ExitStack() as stack:
        libraries = [
            stack.enter_context(opened(read_library("open", name)))
            for name in library_names("open")
        ]
        rows = [
            _row("checkin", libraries, OFFLINE, settings),
            _row("checkin-llm", libraries, profile, settings),
        ]
        clear = clear_shares(libraries)
    found = {"language_model": profile.model, "clear": clear, "methods": rows}
    return found, _text(found, profile)


def clear_shares(libraries: Sequence[OpenLibrary]) -> dict[str, int]:
    """Count the requests that are clear, and of these the ones that are decided right.

    Each library is judged with weights learned from the others. Requests that the history decides
    are left out. Without another library to learn from nothing is counted.
    """
    lessons = [Lesson(at) for at in libraries]
    rows = [lesson.rows() for lesson in lessons]
    counts = {"requests": 0, "clear": 0, "right": 0}
    for lesson, own in zip(lessons, rows, strict=True):
        others = [one for one in rows if one is not own]
        if not others:
            continue
        model = _model(others)
        cases = zip(lesson.judged(model), lesson.cases(model), strict=True)
        for (_, said), case in cases:
            offline, read = by_evidence.decide(case, lesson.at.library.now)
            if case.intent.used:
                continue
            clear = is_clear(read, offline)
            counts["requests"] += 1
            counts["clear"] += clear
            counts["right"] += clear and said == "right"
    return counts


def _row(
    method: str, libraries: Sequence[OpenLibrary], asked: str | Profile, settings: Path | None
) -> dict[str, Any]:
    judged, seconds = [], []
    with _counted() as calls:
        for at in libraries:
            for request in at.library.requests:
                start = time.perf_counter()
                decision = check_in(
                    request.text,
                    at.repository,
                    now=at.library.now,
                    context=at.context,
                    reasoner=asked,
                    settings=settings,
                )
                seconds.append(time.perf_counter() - start)
                found = verdict(request, _answer(decision, at), at.library.original)
                judged.append((request, found))
    return {
        "method": method,
        **totals(judged),
        "calls_per_request": len(calls) / len(judged),
        "not_heard": calls.count("not heard"),
        "seconds_median": median(seconds),
    }


@contextmanager
def _counted() -> Iterator[list[str]]:
    """Note for each question to a language model whether it was heard."""
    calls: list[str] = []
    ask = reasoner.ask

    def counting(*arguments: Any) -> Any:
        calls.append("not heard")
        answer = ask(*arguments)
        calls[-1] = "heard"
        return answer

    with patch.object(reasoner, "ask", counting):
        yield calls


def _text(found: dict[str, Any], profile: Profile) -> str:
    columns: Sequence[tuple[str, Callable[[dict[str, Any]], str]]] = (
        ("selector", lambda one: name_of(one["method"])),
        *((name, lambda one, name=name: f"{one['share'][name]:.1%}") for name in _VERDICTS),
        ("calls per request", lambda one: f"{one['calls_per_request']:.2f}"),
        ("not heard", lambda one: f"{one['not_heard']}"),
        ("seconds, median", lambda one: f"{one['seconds_median']:.2f}"),
    )
    rows = [[value(one) for _, value in columns] for one in found["methods"]]
    return "\n".join(
        [
            f"# Check-in with {profile.model} ({profile.name})",
            "",
            f"{found['methods'][0]['requests']} requests, the weights that are shipped.",
            "",
            markdown([[name for name, _ in columns], *rows]),
            "",
            _ABOUT.format(**found["clear"]),
        ]
    )
