"""Test the search of the models tab: what it finds, in which order, why, and how fast."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from personalq.checkin import Card, Repository
from personalq.checkin.decision.search import Found, search
from personalq.checkin.decision.search_reasons import reasons
from personalq.checkin.index.browse import Browser, Filters
from personalq.checkin.user.history import Use
from personalq.tests.checkin.test_scale import many

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def card(name: str, day: str, **fields) -> Card:
    made = datetime.fromisoformat(f"{day}T12:00:00+00:00")
    return Card(name, f"/m/{name}.safetensors", kind="lora", created_at=made, **fields)


CARDS = [
    card("teddy_v1", "2026-01-10", subjects=("bear",), styles=("realistic",), version="1"),
    card("teddy_v2", "2026-08-01", subjects=("bear",), styles=("realistic",), version="2"),
    card("toon", "2025-12-20", subjects=("bear",), styles=("cartoon",), triggers=("<toon>",)),
    card("rex_wc", "2025-05-05", subjects=("dog",), styles=("watercolour",)),
    card("party_2026", "2024-03-03", subjects=("balloon",), description="Red, from a fair."),
    card("xk7", "2024-04-04", triggers=("forbearance7",)),
]


@pytest.fixture(scope="module")
def browser() -> Browser:
    return Browser(Repository(CARDS, embedder=None))


def found(browser: Browser, text: str, **options) -> Found:
    everything = browser.find(Filters())
    return search(text, browser.repository, everything, browser, NOW, **options)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("watercolor", "rex_wc"),
        ("baer", "teddy_v2 teddy_v1 toon xk7"),
        ("bear", "teddy_v2 teddy_v1 toon xk7"),
        ("fluffy bear", "teddy_v2 teddy_v1 toon xk7"),
        ("my latest realistic bear", "teddy_v2 teddy_v1"),
        ("oldest realistic bear", "teddy_v1 teddy_v2"),
        ("from last winter", "teddy_v1 toon"),
        ("2026", "teddy_v2 teddy_v1 party_2026"),
        ("bear v1", "teddy_v1"),
        ("bear not cartoon", "teddy_v2 teddy_v1 xk7"),
        ("cartoon bear", "toon"),
        ("relistic", "teddy_v2 teddy_v1"),
        ("der neueste Bär", "teddy_v2 teddy_v1 toon xk7"),
        ("eddy_v", "teddy_v2 teddy_v1"),
        ("ed_v2", "teddy_v2"),
        ("FAIR", "party_2026"),
        ("<toon>", "toon"),
        ("bear dog", "rex_wc teddy_v2 teddy_v1 toon xk7"),
        ("bear before the second version", "teddy_v1 toon xk7"),
        ("zebra", ""),
        ("a_new_one", ""),
        (".*", ""),
    ],
)
def test_what_is_found_best_first(browser: Browser, text: str, ids: str) -> None:
    assert found(browser, text).cards.ids() == tuple(ids.split())


def test_a_card_of_the_very_name_comes_first() -> None:
    named = card("newest_bear", "2024-01-01", subjects=("dog",))
    browser = Browser(Repository([*CARDS, named], embedder=None))
    assert found(browser, "newest bear").cards.ids()[0] == named.id


def test_more_words_never_find_more_of_what_is_known(browser: Browser) -> None:
    few, more = found(browser, "bear").cards.ids(), found(browser, "bear realistic").cards.ids()
    assert set(more) < set(few)


def test_words_that_say_nothing_of_a_model_show_them_all(browser: Browser) -> None:
    """Otherwise the list would be empty while "my latest bear" is typed."""
    assert len(found(browser, "show me my").cards) == len(CARDS)


def test_a_model_is_found_by_when_it_was_used(browser: Browser) -> None:
    history = [Use(NOW - timedelta(days=1), "toon"), Use(NOW - timedelta(days=9), "rex_wc")]
    assert found(browser, "the one I used yesterday", history=history).cards.ids() == ("toon",)


def test_what_no_card_has_is_named_with_the_nearest_words(browser: Browser) -> None:
    nothing = found(browser, "baloon dgo")
    assert nothing.unmet == ("dgo",)
    assert nothing.near == (("dgo", ("dog",)),)
    assert found(browser, "zebra").unmet == ("zebra",)
    assert found(browser, "zebra").near == ()


def test_only_the_given_cards_are_found(browser: Browser) -> None:
    old = browser.find(Filters(until=NOW - timedelta(days=200)))
    got = search("bear", browser.repository, old, browser, NOW).cards.ids()
    assert set(got) == {"teddy_v1", "toon", "xk7"}


@pytest.mark.parametrize(
    ("text", "one", "why"),
    [
        ("watercolor", "rex_wc", [("styles", "watercolour")]),
        ("fluffy bear", "toon", [("subjects", "bear")]),
        ("bear", "xk7", [("triggers", "bear")]),
        ("from last winter", "toon", [("time", "last winter")]),
        ("animal", "rex_wc", [("is_a", "animal")]),
        ("eddy_", "teddy_v2", [("name", "eddy")]),
        ("latest bear", "teddy_v2", [("subjects", "bear"), ("order", "latest")]),
        ("latest bear", "teddy_v1", [("subjects", "bear")]),
    ],
)
def test_why_a_card_was_found(browser: Browser, text: str, one: str, why: list) -> None:
    result = found(browser, text)
    (view,) = (view for view in result.cards if view.id == one)
    assert reasons(result, view.card, view.position) == why


def test_ten_thousand_cards_are_searched_while_one_types() -> None:
    browser = Browser(Repository(many(10_000), embedder=None))
    found(browser, "warm")  # the words of the library are read once
    times = []
    for text in ("d", "do", "dog", "dog w", "dog water", "my latest dog in watercolor", "dgo"):
        start = time.process_time()
        result = found(browser, text)
        [reasons(result, view.card, view.position) for view in result.cards[:100]]
        times.append(time.process_time() - start)
    assert min(times) < 0.05
    assert sorted(times)[len(times) // 2] < 0.15
