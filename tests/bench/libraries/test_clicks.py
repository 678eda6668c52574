"""Test how many clicks lead to the right models, in a made-up library through the real Check-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from personalq.bench.libraries.clicks import clicks
from personalq.bench.libraries.library import Accepted, Request, read_library
from personalq.bench.libraries.open_library import OpenLibrary, opened
from personalq.tests.bench.libraries.made_up import CAT, COPY, DOG_1, DOG_2, write_archive


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenLibrary]:
    write_archive(tmp_path / "open" / "first.zip")
    monkeypatch.setattr("personalq.bench.libraries.library.FOLDER", tmp_path)
    with opened(read_library("open", "first")) as at:
        yield at


@pytest.mark.parametrize(
    ("text", "models", "expected"),
    [
        ("my cat on the sofa", [CAT], 0),
        ("my cat on the sofa", [COPY], 0),
        ("moss and nelson on the sofa", [DOG_2, CAT], 0),
        ("my pet", [CAT], 1),
        ("moss running away from a cat", [DOG_2, CAT], 1),
        ("moss and nelson on the sofa", [CAT], 1),
        ("moss on the sofa", [DOG_1], 1),
        ("moss and nelson on the sofa", [DOG_1], 2),
        ("nelson from April", [CAT], 1),
        ("moss on the sofa", [CAT], None),
        ("a submarine", [CAT], None),
    ],
    ids=str,
)
def test_each_click_that_the_node_offers_is_one(
    library: OpenLibrary, text: str, models: list[str], expected: int | None
) -> None:
    request = Request("x", text, "name", "easy", (Accepted("select", frozenset(models)),))
    assert clicks(request, library) == expected


def test_the_nearest_of_several_accepted_answers_counts(library: OpenLibrary) -> None:
    accepted = tuple(Accepted("select", frozenset([one])) for one in (CAT, DOG_1))
    assert clicks(Request("x", "moss on the sofa", "name", "easy", accepted), library) == 1


def test_nothing_leads_to_a_model_where_none_is_meant(library: OpenLibrary) -> None:
    accepted = (Accepted("no_match"), Accepted("clarify", frozenset([DOG_1, DOG_2])))
    assert clicks(Request("x", "moss", "name", "easy", accepted), library) is None
