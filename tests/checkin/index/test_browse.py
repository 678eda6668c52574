"""Test the search through cards: typed words, filters, order, and time for 10,000."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from personalq.checkin import Card, Repository
from personalq.checkin.index.browse import Browser, Filters
from personalq.tests.checkin.test_scale import NOW, many

CARDS = [
    Card(
        "a",
        "/c/bear_v1.safetensors",
        triggers=("<bear-v1>",),
        subjects=("Bear", "plush toy"),
        styles=("realistic",),
    ),
    Card(
        "b",
        "/m/toon.safetensors",
        kind="lora",
        subjects=("bear", "<toon-bear>"),
        styles=("cartoon",),
        created_at=NOW,
        base_model="sd15",
    ),
    Card(
        "c",
        "/m/dogs/dog.safetensors",
        subjects=("dog",),
        description="Rex, a <b>corgi</b>",
        base_model="sdxl",
        version="4",
    ),
    Card("d", "/m/owl.safetensors", created_at=NOW - timedelta(days=1), base_model="sdxl"),
]


@pytest.fixture(scope="module")
def browser() -> Browser:
    return Browser(Repository(CARDS, embedder=None), [("loras", "/m"), ("checkpoints", "/c")])


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, "bdca"),
        ({"text": "bear"}, "ba"),
        ({"text": "  EAR plush "}, "a"),
        ({"text": "corg"}, "c"),
        ({"text": "v4"}, "c"),
        ({"text": "nothing of this"}, ""),
        ({"text": ".*"}, ""),
        ({"kind": "lora"}, "b"),
        ({"folder": "loras"}, "bdc"),
        ({"folder": "loras/dogs"}, "c"),
        ({"folder": "loras/dog"}, ""),
        ({"subject": "bear"}, "ba"),
        ({"subject": "bea"}, ""),
        ({"style": "cartoon", "subject": "bear"}, "b"),
        ({"base_model": "sdxl"}, "dc"),
        ({"since": NOW}, "b"),
        ({"until": NOW}, "d"),
        (
            {
                "since": NOW - timedelta(days=2),
                "until": NOW + timedelta(days=1),
                "base_model": "sd15",
            },
            "b",
        ),
    ],
)
def test_what_is_found_newest_first(browser: Browser, filters: dict, ids: str) -> None:
    assert browser.find(Filters(**filters)).ids() == tuple(ids)


def test_what_the_filters_offer(browser: Browser) -> None:
    values = browser.values()
    assert values["subject"] == [("Bear", 2), ("dog", 1), ("plush toy", 1)]
    assert values["base_model"] == [("sdxl", 2), ("sd15", 1)]
    assert values["style"] == [("cartoon", 1), ("realistic", 1)]


def test_folders_count_what_is_below_them(browser: Browser) -> None:
    assert browser.folders() == [("checkpoints", 1), ("loras", 3), ("loras/dogs", 1)]


def test_ten_thousand_cards_are_searched_faster_than_one_types() -> None:
    browser = Browser(Repository(many(10_000), embedder=None))
    browser.repository.catalogue()
    times = []
    for text in ("d", "do", "dog", "dog w", "dog water", "dog watercolour 77"):
        start = time.process_time()
        found = browser.find(Filters(text=text, style="watercolour"))
        times.append(time.process_time() - start)
        assert len(found) in range(1, 2001)
    assert min(times) < 0.05
