"""Test our routes: what they show of the models, and what a user keeps."""

from __future__ import annotations

import io
import json

import pytest
from PIL import Image

pytestmark = pytest.mark.usefixtures("read_anew")
BEAR = "bear-bear_realistic_v3"
JSON = {"Content-Type": "application/json"}


def test_cards_are_found_by_words_and_filters(ask, total):
    _, everything, _ = ask("GET", "/personalq/cards")
    assert everything["total"] == total
    assert [card["created"] for card in everything["cards"]] == sorted(
        (card["created"] for card in everything["cards"]), reverse=True
    )
    found = ask("GET", "/personalq/cards?text=toon&subject=bear&since=2026-06-30&until=2026-06-30")[
        1
    ]
    assert [(card["name"], card["words"]) for card in found["cards"]] == [
        ("bear_cartoon_v2", "<toon-bear-v2>")
    ]
    assert (
        ask("GET", f"/personalq/cards?offset={total - 1}")[1]["cards"] == everything["cards"][-1:]
    )


def test_what_the_filters_offer(ask, total):
    _, about, _ = ask("POST", "/personalq/rescan", {})
    assert about["total"] == total
    assert ["sd15", total, "SD 1.5"] in about["filters"]["base_model"]
    assert ["bear", 6] in about["filters"]["subject"]
    assert ["sketch", 2] in about["filters"]["style"]


@pytest.mark.parametrize(
    "query", ["path=/etc", "offset=-1", "offset=x", "since=yesterday", "until=9999-99-99"]
)
def test_strange_queries_are_refused(ask, query):
    status, answer, _ = ask("GET", f"/personalq/cards?{query}")
    assert status == 400
    assert answer["error"]


def test_a_card_says_where_each_field_came_from(ask):
    _, card, _ = ask("GET", f"/personalq/cards/{BEAR}")
    assert card["fields"]["triggers"] == {"value": ["<bear-v3>"], "source": "sidecar"}
    assert card["fields"]["lineage"]["source"] in ("sidecar", "file name")
    assert card["facts"]["kind"]["value"] == "lora"
    assert "/" not in json.dumps([card["id"], card["name"], card["words"]])


def test_a_picture_is_a_small_copy_and_no_other_file(ask):
    status, picture, headers = ask("GET", f"/personalq/thumbnails/{BEAR}")
    assert status == 200
    assert picture[:4] == b"RIFF"
    assert headers["Content-Type"] == "image/webp"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert ask("GET", "/personalq/thumbnails/demo_base")[:2] == (204, b""), "it has none"


STRANGE_IDS = [
    "nobody",
    "..",
    "../../etc/passwd",
    "..%2F..%2Fetc%2Fpasswd",
    "%2Fetc%2Fpasswd",
    "..%5C..%5Cwin.ini",
    "bear%2Fbear_realistic_v3",
    "bear-bear_realistic_v3%00",
    "bear-bear_realistic_v3.personalq.yaml",
]


@pytest.mark.parametrize("one", STRANGE_IDS)
def test_only_ids_of_cards_name_anything(ask, one):
    for method, path in (("GET", "cards"), ("GET", "thumbnails"), ("POST", "cards")):
        status, answer, _ = ask(
            method, f"/personalq/{path}/{one}", {"lineage": "x"} if method == "POST" else None
        )
        assert status in (404, 405), (method, path)
        assert b"root:" not in (answer if isinstance(answer, bytes) else b"")


def test_a_search_says_why_and_what_no_model_has(ask):
    _, found, _ = ask("GET", "/personalq/cards?text=dgo%20watercolor")
    assert [card["name"] for card in found["cards"]] == ["dog_watercolour_v2", "dog_watercolour_v1"]
    assert found["cards"][0]["why"] == [["styles", "watercolour"]]
    assert (found["unmet"], found["near"]) == (["dgo"], [["dgo", ["dog"]]])


def test_cards_come_in_the_order_that_is_asked_for(ask):
    def names(query: str) -> list[str]:
        return [card["name"] for card in ask("GET", f"/personalq/cards?{query}")[1]["cards"]]

    assert names("text=oldest%20bear")[0] == "bear_realistic_v1"
    assert names("text=oldest%20bear&sort=newest")[0] == "bear_realistic_v4"
    by_name = names("sort=name")
    assert by_name == sorted(by_name, key=str.casefold)
    assert names("kind=checkpoint&folder=loras") == []
    assert set(names("folder=loras/house")) == set(names("folder=loras/house/april")) | set(
        names("folder=loras/house/may")
    )


@pytest.mark.parametrize("query", ["sort=size", "only=mine"])
def test_unknown_orders_are_refused(ask, query):
    status, answer, _ = ask("GET", f"/personalq/cards?{query}")
    assert status == 400
    assert query.split("=")[1] in answer["error"]


def test_a_favourite_is_kept_in_a_file_of_the_user(ask, settings_file):
    file = settings_file.with_name("favourites.yaml")
    path = f"/personalq/cards/{BEAR}/favourite"
    assert ask("POST", path, {"favourite": True})[0] == 200
    assert "favourites:" in file.read_text()
    marked = ask("GET", "/personalq/cards?only=favourites")[1]["cards"]
    assert [(card["id"], card["favourite"]) for card in marked] == [(BEAR, True)]
    assert ask("GET", f"/personalq/cards/{BEAR}")[1]["favourite"]
    assert ask("POST", path, {"favourite": False})[0] == 200
    assert ask("GET", "/personalq/cards?only=favourites")[1]["total"] == 0


def test_a_broken_file_of_favourites_hides_no_model_and_is_not_overwritten(
    ask, settings_file, total
):
    file = settings_file.with_name("favourites.yaml")
    file.write_text("favourites: {a: b}\n")
    try:
        assert ask("GET", "/personalq/cards")[1]["total"] == total
        status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}/favourite", {"favourite": True})
        assert status == 400
        assert "favourites.yaml" in answer["error"]
        assert file.read_text() == "favourites: {a: b}\n"
    finally:
        file.unlink()


def test_a_large_picture_is_larger_and_a_missing_one_is_no_other(ask):
    def size(query: str) -> int:
        picture = ask("GET", f"/personalq/thumbnails/{BEAR}{query}")[1]
        return max(Image.open(io.BytesIO(picture)).size)

    assert size("?large=1") >= size("")
    for number in ("9", "-1", "x", "../0"):
        assert ask("GET", f"/personalq/thumbnails/{BEAR}?number={number}")[0] == 204
