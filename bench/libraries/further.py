"""Further requests to the same libraries: in other languages, or for several models at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from zipfile import ZipFile

from ...checkin.lexicon.languages import profiles
from ..evidence.markdown import markdown
from ..timed import timed
from . import library
from .checkin import Selector, checkin
from .library import HALVES, Library, library_names, read_library, read_request
from .open_library import OpenLibrary, opened
from .report import columns, row, wrong_answers
from .run import Judged, Result
from .score import lacks_only, verdict

SETS = {"languages": "language", "several": "library"}
"""Folder of further requests -> what each group of them is of: one language, one library."""


def evaluate(which: str, half: str, select: Selector = checkin) -> list[Result]:
    """Return what a selector answers to each group of a set; `method` is the language or library.

    Raises ValueError for a half without requests; NoAnswer where a language model gives none.
    """
    found: dict[str, list[Judged]] = {}
    for group, one in asked(which, half):
        with opened(one) as at:
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
    return f"{markdown([columns(SETS[which]), *rows])}\n\n{_too_few(every)}"


def _too_few(result: Result) -> str:
    lacking = sum(
        one.verdict == "silent error"
        and lacks_only(one.request, one.answer, one.at.library.original)
        for one in result.judged
    )
    silent = sum(one.verdict == "silent error" for one in result.judged)
    return f"Of {silent} silent errors, {lacking} lack a model and take no wrong one."


def errors(results: list[Result]) -> str:
    """Return each wrong answer of each group."""
    names = {one.code: one.name for one in profiles()}
    return "\n\n".join(wrong_answers(names.get(one.method, one.method), one) for one in results)


def asked(which: str, half: str) -> Iterator[tuple[str, Library]]:
    """(group, library with its requests) of each file of a half."""
    path = library.FOLDER / which / f"{half}.zip"
    if not path.exists():
        return
    with ZipFile(path) as archive:
        for file in sorted(archive.namelist()):
            group, name = PurePosixPath(file).parent.name, PurePosixPath(file).stem
            lines = archive.read(file).decode().splitlines()
            requests = tuple(read_request(json.loads(line)) for line in lines if line.strip())
            of = next(one for one in HALVES if name in library_names(one))
            yield group, replace(read_library(of, name), requests=requests)


def _judged(at: OpenLibrary, select: Selector) -> list[Judged]:
    requests = at.library.requests
    runs = [partial(select, request.text, at) for request in requests]
    return [
        Judged(
            at,
            request,
            replace(answer, milliseconds=taken),
            verdict(request, answer, at.library.original),
        )
        for request, (answer, taken) in zip(requests, timed(runs), strict=True)
    ]
