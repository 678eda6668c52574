"""Test the benchmark: its size, its seed, and that its ground truth holds."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime

import pytest

from personalq.bench.repo_prompts import NOW, make_cards, make_queries, write
from personalq.bench.repo_prompts.demand import Demand, Time, truth


@pytest.fixture(scope="module")
def builds():
    return make_cards(0)


def test_a_thousand_cards_in_twenty_concepts_of_fifty_versions(builds):
    versions: dict[str, list[int]] = {}
    for build in builds:
        versions.setdefault(build.lineage.concept.name, []).append(build.version)
    assert len(versions) == 20
    assert all(sorted(numbers) == list(range(1, 51)) for numbers in versions.values())
    assert len({build.id for build in builds}) == 1000
    assert all(build.made < NOW for build in builds)


def test_versions_follow_their_dates(builds):
    for concept in {build.lineage.concept.name for build in builds}:
        row = sorted(
            (build for build in builds if build.lineage.concept.name == concept),
            key=lambda b: b.version,
        )
        assert [build.made for build in row] == sorted(build.made for build in row)


def test_queries_of_every_group_and_kind(builds):
    queries = make_queries(builds, 0)
    assert Counter(query.kind for query in queries) == {
        "temporal": 110,
        "version": 80,
        "style": 80,
        "usage": 80,
        "ambiguous": 100,
        "no-match": 50,
    }
    assert len({query.text for query in queries}) == 500
    ids = {build.id for build in builds}
    for query in queries:
        right = query.truth
        assert (right.card is not None) + bool(right.ask_about) + right.no_match == 1
        assert len(right.ask_about) != 1
        assert {right.card, *right.ask_about} - {None} <= ids


def test_the_same_seed_gives_the_same_files(tmp_path):
    one, two, other = (
        write(tmp_path / name, seed) for name, seed in (("one", 3), ("two", 3), ("other", 4))
    )
    for name in ("cards.jsonl", "queries.jsonl", "about.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
        assert (one / name).read_bytes() != (other / name).read_bytes()
    instance = json.loads((one / "queries.jsonl").read_text().splitlines()[0])
    assert {
        "instance_id",
        "natural_language_query",
        "candidate_pool",
        "ground_truth",
    } <= instance.keys()


def test_truth_by_hand(builds):
    dog = next(build.lineage.concept for build in builds if build.lineage.concept.name == "dog")
    dogs = [build for build in builds if build.lineage.concept is dog]
    newest = max(dogs, key=lambda build: build.version)
    assert truth(Demand(concept=dog, order=("newest", 1)), builds).card == newest.id
    assert truth(Demand(concept=dog, version=newest.version), builds).card == newest.id
    assert truth(Demand(concept=dog, version=51), builds).no_match
    assert len(truth(Demand(concept=dog), builds).ask_about) == 50
    one = [build for build in dogs if build.lineage is newest.lineage]
    what = {"concept": dog, "variant": newest.lineage.variant, "look": newest.lineage.look}
    assert truth(Demand(**what), builds).card == one[-1].id
    all_time = Time("ever", datetime(2000, 1, 1, tzinfo=NOW.tzinfo), NOW)
    assert set(truth(Demand(**what, time=all_time), builds).ask_about) == {
        build.id for build in one
    }
