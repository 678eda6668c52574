"""Test requests that list several people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
PEOPLE = ("beth", "zosia", "adam", "poppy", "trevor", "maureen")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    for day, name in enumerate(PEOPLE):
        own(folder, f"{name}_xl", day, f"{name[::-1]} woman")
    own(folder, "railposter_xl", 20, "rlpster poster style")
    own(folder, "lantern_xl", 20, "lntrn lantern")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names", "left"),
    [
        ("the family at the sea: Beth, Zosia, Adam and Poppy with ice creams", PEOPLE[:4], ""),
        ("beth, zosia and adam by the sea in my railposter look", (*PEOPLE[:3], "railposter"), ""),
        (", ".join(PEOPLE) + " at the party", PEOPLE[:5], "maureen_xl"),
        ("beth, zosia and adam by the sea with my lantern", PEOPLE[:3], "lantern_xl"),
        ("beth, zosia and adam in front of the lantern", PEOPLE[:3], "lantern_xl"),
        (
            "beth telling zosia about the lantern, as a railposter",
            ("beth", "zosia", "railposter"),
            "lantern_xl",
        ),
    ],
)
def test_a_list_of_people_may_be_longer_than_three(repository, request_text, names, left) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == [f"{name}_xl" for name in names]
    said = [notice for notice in decision.notices if notice.startswith("Left out")]
    assert [one.split(". ")[0] for one in said] == ([f"Left out: {left}"] if left else [])
