"""Test the routes of recipes: kept, found, changed and deleted, and named by their ids alone."""

from __future__ import annotations

import pytest

TAXI = {
    "name": "My taxi",
    "request": "the checker taxi at night",
    "models": ["model: checker_taxi; strength: 0.7", "model: gone_v1"],
}


@pytest.fixture
def taxi(ask):
    """A kept recipe, of which one model is not here."""
    assert ask("POST", "/personalq/rescan", {})[0] == 200
    status, kept, _ = ask("POST", "/personalq/recipes", TAXI)
    assert status == 200, kept
    yield kept
    ask("POST", f"/personalq/cards/{kept['id']}/delete", {})


def listed(ask, query: str = "") -> list[str]:
    answer = ask("GET", f"/personalq/cards?only=recipe{query}")[1]
    assert answer["total"] == len(answer["cards"])
    return [one["name"] for one in answer["cards"]]


def test_a_recipe_says_what_it_uses_and_what_is_not_here(ask, taxi):
    assert taxi["uses"] == ["checker_taxi 0.7", "gone_v1: not here"]
    assert taxi["why"] == [["missing", "gone_v1"]]
    assert (taxi["kind"], taxi["request"]) == ("recipe", TAXI["request"])
    assert taxi["chosen"].splitlines()[0] == "model: checker_taxi; strength: 0.7"
    assert taxi["file"] == TAXI
    assert ask("GET", f"/personalq/cards/{taxi['id']}")[1] == taxi
    assert ask("GET", f"/personalq/thumbnails/{taxi['id']}")[0] == 200


def test_recipes_are_found_by_their_words(ask, taxi):
    assert listed(ask) == ["My taxi"]
    assert listed(ask, "&text=NIGHT+checker") == ["My taxi"]
    assert listed(ask, "&text=bear") == []


def test_recipes_are_listed_page_by_page(ask, taxi):
    assert listed(ask, "&offset=0") == ["My taxi"]
    behind = ask("GET", "/personalq/cards?only=recipe&offset=1")[1]
    assert (behind["total"], behind["cards"]) == (1, [])
    assert ask("GET", "/personalq/cards?only=recipe&offset=x")[0] == 400


def test_a_recipe_is_renamed_and_deleted(ask, taxi):
    path = f"/personalq/cards/{taxi['id']}"
    assert ask("POST", path, {"name": "Yellow"})[1]["name"] == "Yellow"
    assert ask("POST", path, {"request": None})[1]["request"] == ""
    assert ask("POST", path, {"models": []})[0] == 400
    assert listed(ask) == ["Yellow"]
    assert ask("POST", f"{path}/delete", {})[0] == 200
    assert listed(ask) == []
    assert ask("GET", path)[0] == 404


@pytest.mark.parametrize("name", ["recipe:..", "recipe:%2Fetc%2Fpasswd", "recipe:..%2F..%2Fx"])
def test_only_ids_of_recipes_name_anything(ask, name):
    for method, path in (("GET", ""), ("POST", ""), ("POST", "/delete")):
        body = {} if method == "POST" else None
        assert ask(method, f"/personalq/cards/{name}{path}", body)[0] in (404, 405)


def test_what_is_no_recipe_is_said(ask):
    status, answer, _ = ask("POST", "/personalq/recipes", {"name": "x"})
    assert (status, answer["error"][:17]) == (400, "This is no recipe")


def test_other_pages_may_keep_none(ask):
    headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}
    assert ask("POST", "/personalq/recipes", TAXI, headers)[0] == 403
    assert listed(ask) == []
