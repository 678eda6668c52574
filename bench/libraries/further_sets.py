"""Sets of further requests, as their archives hold them: to the libraries, or to smaller ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from zipfile import ZipFile

from . import library
from .library import HALVES, Library, library_names, read_library, read_request

NEWCOMERS = "newcomers"
"""The set of libraries of their own, whose requests are all open."""
SETS = {"languages": "language", "several": "library", NEWCOMERS: "library"}
"""Folder of further requests -> what each group of them is of: one language, one library."""
LEARNED_FROM = "several"
"""The set that Check-in's weights are learned from too: each library of the open half is judged
with those of the others.
"""


def asked(which: str, half: str) -> Iterator[tuple[str, Library]]:
    """(group, library with its requests) of each file of a half."""
    if which == NEWCOMERS and half == "open":
        yield from ((name, read_library(which, name)) for name in library_names(which))
        return
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
