"""Requests in other languages to the same libraries: what Check-in answers, by language."""

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
from . import checkin, library
from .library import HALVES, Library, library_names, read_library, read_request
from .open_library import OpenLibrary, opened
from .report import columns, row, wrong_answers
from .run import Judged, Result
from .score import verdict


def evaluate(half: str) -> list[Result]:
    """Return what Check-in answers to the requests of each language; `method` is its code.

    Raises ValueError for a half without requests.
    """
    found: dict[str, list[Judged]] = {}
    for code, one in _asked(half):
        with opened(one) as at:
            found.setdefault(code, []).extend(_judged(at))
    if not found:
        raise ValueError(f"the {half} half has no requests in other languages")
    return [Result(code, tuple(judged)) for code, judged in sorted(found.items())]


def table(results: list[Result]) -> str:
    """Return a table with a row for each language and one for all of them."""
    names = {one.code: one.name for one in profiles()}
    every = Result("all", tuple(one for result in results for one in result.judged))
    rows = [
        row(names.get(one.method, one.method), one.totals())
        for one in (*results, *([every] if len(results) > 1 else []))
    ]
    return markdown([columns("language"), *rows])


def errors(results: list[Result]) -> str:
    """Return each wrong answer of each language."""
    names = {one.code: one.name for one in profiles()}
    return "\n\n".join(wrong_answers(names.get(one.method, one.method), one) for one in results)


def _asked(half: str) -> Iterator[tuple[str, Library]]:
    """(code of the language, library with the requests in it) of each file of a half."""
    path = library.FOLDER / "languages" / f"{half}.zip"
    if not path.exists():
        return
    with ZipFile(path) as archive:
        for file in sorted(archive.namelist()):
            code, name = PurePosixPath(file).parent.name, PurePosixPath(file).stem
            lines = archive.read(file).decode().splitlines()
            requests = tuple(read_request(json.loads(line)) for line in lines if line.strip())
            of = next(one for one in HALVES if name in library_names(one))
            yield code, replace(read_library(of, name), requests=requests)


def _judged(at: OpenLibrary) -> list[Judged]:
    requests = at.library.requests
    runs = [partial(checkin.checkin, request.text, at) for request in requests]
    return [
        Judged(
            at,
            request,
            replace(answer, milliseconds=taken),
            verdict(request, answer, at.library.original),
        )
        for request, (answer, taken) in zip(requests, timed(runs), strict=True)
    ]
