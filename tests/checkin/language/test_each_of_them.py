"""Test requests that count the models of a kind."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.catalog.vocabulary import Vocabulary, vocabulary_of
from personalq.checkin.language.each_of_them import each_by_name
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "copper_v1", 10, "cprdog dog")
    own(folder, "copper_v2", 20, "cprdog dog")
    own(folder, "pepper", 30, "pprtok corgi")
    own(folder, "maisie_v1", 12, "mai5 girl")
    own(folder, "maisie_toddler", 13, "maitot girl")
    own(folder, "theo", 14, "theoboy boy")
    for number, name in enumerate(("lola", "nina", "rosa", "vera", "tess")):
        own(folder, name, 40 + number, f"{name}tok cat")
    own(folder, "ink", 60, "inkstyle")
    return Repository.open(folder, embedder=None)


@pytest.fixture(scope="module")
def vocabulary(repository: Repository) -> Vocabulary:
    return vocabulary_of(repository.version, repository.catalogue)


DOGS, KIDS = "cprdog dog and pprtok corgi", "maisie and theoboy boy"


@pytest.mark.parametrize(
    ("request_text", "read"),
    [
        ("both dogs on a sofa", f"{DOGS} on a sofa"),
        ("Both of my dogs, in ink", f"{DOGS}, in ink"),
        ("a photo of both the dogs", f"a photo of {DOGS}"),
        ("my two dogs in the snow", f"{DOGS} in the snow"),
        ("all 2 of my dogs", DOGS),
        ("all my dogs", DOGS),
        ("our dogs by the lake", f"{DOGS} by the lake"),
        ("both kids and both dogs", f"{KIDS} and {DOGS}"),
        ("the two children at the beach", f"{KIDS} at the beach"),
    ],
)
def test_all_of_a_kind_are_named(vocabulary: Vocabulary, request_text: str, read: str) -> None:
    assert each_by_name(request_text, vocabulary) == read


@pytest.mark.parametrize(
    "request_text",
    [
        "my dog on a sofa",
        "the dogs on a sofa",
        "all three dogs on a sofa",
        "my cats in the garden",
        "both cats in the garden",
        "one of my two dogs",
        "the newest of my two dogs",
        "not both dogs",
        "neither of both dogs",
        "both my dogs, copper and pepper",
        "copper and both kids, maisie and theo",
        "both dogs' bowls",
        "both hands on the table",
        "my boots",
        "both sheep",
        "",
    ],
)
def test_what_counts_others_stays(vocabulary: Vocabulary, request_text: str) -> None:
    assert each_by_name(request_text, vocabulary) == request_text


def test_each_is_drawn_by_its_newest_build(repository: Repository) -> None:
    decision = check_in("both dogs and my kids in the snow, ink", repository, now=NOW)
    assert decision.request == "both dogs and my kids in the snow, ink"
    names = [card.name for card in decision.cards]
    assert names[:2] == ["copper_v2", "pepper"]
    assert decision.prompt
    assert decision.prompt.startswith("cprdog dog and pprtok corgi and ")


def test_what_is_downloaded_is_not_counted(tmp_path) -> None:
    own(tmp_path, "copper", 10, "cprdog dog")
    own(tmp_path, "pepper", 30, "pprdog dog")
    downloaded(tmp_path, "Border_Collie_XL", "Border Collie dog", ["dog"], "collie dog")
    repository = Repository.open(tmp_path, embedder=None)
    names = [card.name for card in check_in("both dogs", repository, now=NOW).cards]
    assert sorted(names) == ["copper", "pepper"]
