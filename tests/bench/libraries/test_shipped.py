"""Test the shipped libraries: all open, and expectations name files that exist.

Of a library of the sealed half a failure tells counts alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from personalq.bench.libraries.further_sets import NEWCOMERS, asked
from personalq.bench.libraries.library import FOLDER, HALVES, Library, library_names, read_library
from personalq.bench.libraries.open_library import opened

SHIPPED = [(half, name) for half in HALVES for name in library_names(half)]


MAX_LOOKS = 5


@pytest.fixture(scope="module", params=SHIPPED, ids=lambda place: "-".join(place))
def library(request: pytest.FixtureRequest) -> Library:
    return read_library(*request.param)


def test_there_are_eight_open_libraries_and_four_sealed_ones() -> None:
    assert [half for half, _ in SHIPPED] == ["open"] * 8 + ["sealed"] * 4


def test_there_are_at_most_five_looks_at_the_sealed_half() -> None:
    said = (FOLDER / "SEALED.md").read_text("utf-8")
    tables = re.split(r"^\|---.*$", said, flags=re.MULTILINE)[1:]
    looks = [len(re.findall(r"^\| \d", table, re.MULTILINE)) for table in tables]
    assert len(looks) == 4, "of the sealed half, of other languages, and twice of several models"
    assert max(looks) <= MAX_LOOKS


def test_it_has_110_requests_with_ids_of_their_own(library: Library) -> None:
    assert (len(library.requests), len({one.id for one in library.requests})) == (110, 110)
    assert library.now.tzinfo is not None


def test_expectations_name_existing_files(library: Library) -> None:
    paths = {line["path"] for line in library.files}
    unknown = sum(
        len(accepted.models - paths) for one in library.requests for accepted in one.accepted
    )
    unknown += sum(use.path not in paths for use in library.uses)
    assert (len(paths), unknown) == (len(library.files), 0)


def test_expectations_name_as_many_models_as_their_outcome_has(library: Library) -> None:
    least = {"select": 1, "clarify": 2, "no_match": 0}
    too_few = sum(
        len(accepted.models) < least[accepted.outcome]
        for one in library.requests
        for accepted in one.accepted
    )
    without = sum(not one.accepted for one in library.requests)
    assert (too_few, without) == (0, 0)


@pytest.mark.parametrize("name", library_names(NEWCOMERS))
def test_newcomers_have_requests_whose_models_exist(name: str) -> None:
    [one] = [found for group, found in asked(NEWCOMERS, "open") if group == name]
    paths = {line["path"] for line in one.files}
    accepted = [each for request in one.requests for each in request.accepted]
    assert len({request.id for request in one.requests}) == len(one.requests)
    assert len(one.requests) in (45, 60, 67, 70, 110)
    assert all(request.accepted for request in one.requests)
    assert all(each.models <= paths for each in accepted)
    assert all(bool(each.models) == (each.outcome != "no_match") for each in accepted)
    with opened(one) as at:
        beside = {
            "vae",
            "embedding",
            "controlnet",
            "upscaler",
        }  # files that are no models to choose
        whole = [line for line in one.files if line["kind"] not in beside and not line["broken"]]
        assert len(at.repository.cards) == len(whole)


def test_copies_name_files_that_are_no_copies(library: Library) -> None:
    wrong = sum(
        library.original(library.original(line["path"])) != library.original(line["path"])
        for line in library.files
    )
    assert wrong == 0


def test_it_opens(library: Library) -> None:
    with opened(library) as at:
        cards = len(at.repository.cards)
        paths = {line["path"] for line in library.files}
        strange = len(set(at.paths.values()) - paths)
        assert (cards > 200, len(at.paths) - cards, strange) == (True, 0, 0)
        assert len(at.context.history) > 0
    assert Path(str(at.repository.cards[0].path)).exists() is False, "the folder is temporary"
