"""Test the models that are offered besides those that were chosen."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Decision, Repository, check_in
from personalq.checkin.catalog.pinned import PinnedModel
from personalq.checkin.catalog.reference import Reference
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("loras")
    own(folder, "moss_v1", 0, "mosdog border collie", "grass, beach")
    own(folder, "moss_v2", 10, "mosdog border collie", "grass, beach")
    own(folder, "mushroom_folk", 20, "shroomfolk", "forest, cap")
    downloaded(folder, "wyrm_dragon", "Wyrm dragon", ["creature", "dragon"], "wyrm dragon")
    downloaded(folder, "airship_concept", "Airship concept", ["vehicle", "airship"], "airship")
    downloaded(folder, "bamburgh_beach", "Bamburgh beach", ["place", "beach"], "bamburgh beach")
    downloaded(folder, "harbour_lantern_fair_set", "Harbour lantern fair set", ["place"], "hlfs")
    own(folder, "frigate_sd15", 40, "frgt ship", "orbit", base="sd15")
    return Repository.open(folder, embedder=None)


def ask(repository: Repository, request: str, **options) -> Decision:
    return check_in(request, repository, now=NOW, **options)


def offered(decision: Decision) -> list[tuple[str, str]]:
    return [(one.words, one.card.name) for one in decision.additions]


def test_a_model_that_the_scene_names_is_offered_and_not_taken(repository) -> None:
    decision = ask(repository, "mushroom folk running away from a dragon")
    assert [card.name for card in decision.cards] == ["mushroom_folk"]
    assert offered(decision) == [("dragon", "wyrm_dragon")]


def test_the_words_of_the_chosen_model_offer_nothing(repository) -> None:
    assert offered(ask(repository, "moss v1 in the grass")) == []


def test_gates_of_the_chosen_model_hold_for_it_alone(repository) -> None:
    decision = ask(repository, "moss v1 under an airship")
    assert [card.name for card in decision.cards] == ["moss_v1"]
    assert offered(decision) == [("airship", "airship_concept")]


def test_one_that_fits_another_base_model_is_not_offered(repository) -> None:
    assert offered(ask(repository, "mushroom folk waving at a frigate")) == []


def test_one_word_of_a_long_name_is_not_enough(repository) -> None:
    assert offered(ask(repository, "mushroom folk at the fair")) == []


def test_what_is_not_wanted_is_not_offered(repository) -> None:
    assert offered(ask(repository, "mushroom folk in the woods, no dragon")) == []


def test_it_is_offered_beside_a_model_that_was_picked_by_hand(repository) -> None:
    picked = [PinnedModel(Reference(name="mushroom_folk"))]
    request = "moss watching a dragon"
    assert offered(ask(repository, request, chosen=picked)) == [
        ("moss", "moss_v2"),
        ("dragon", "wyrm_dragon"),
    ]
    picked.append(PinnedModel(Reference(name="wyrm_dragon")))
    picked.append(PinnedModel(Reference(name="moss_v2")))
    assert offered(ask(repository, request, chosen=picked)) == [], "no more are used together"


def test_nothing_is_offered_where_nothing_was_chosen(repository) -> None:
    assert offered(ask(repository, "my hamster and a dragon")) == []
