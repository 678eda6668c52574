"""Test what holds of a choice when the request is worded on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.catalog.pinned import PinnedModel
from personalq.checkin.catalog.reference import Reference
from personalq.checkin.same_models import asking_for_the_same, goes_on, still_chosen
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "oak_chair_v2", 10, "oakchr chair")
    own(folder, "rocking_chair", 30, "rckchr chair")
    own(folder, "moss_v1", 12, "mosdog collie")
    own(folder, "moss_collar_v1", 8, "mosdog collie")
    own(folder, "moss_v2", 30, "mosdog collie")
    own(folder, "nans_kitchen", 22, "nankit kitchen")
    for number, name in enumerate(("rex", "pip", "juno", "bruno", "nelson", "lola")):
        seen = "beach" if number % 2 else "car"
        own(folder, f"{name}_v1", 40 + number, f"{name}tok dog", captions=seen)
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("moss on a sofa", "moss on a sofa, at night", True),
        ("moss on a sofa", "a photo of moss in the snow", True),
        ("moss on a sofa", "moss in the kitchen", False),
        ("moss on a sofa", "the rocking chair", False),
        ("a chair", "a chair, in the garden", True),
        ("a chair", "an oak chair", False),
        ("my dog on the beach", "my dog in the car", True),
        ("my dog on the beach", "my chair on the beach", False),
        ("my dog on the beach", "bruno on the beach", False),
        ("a zebra", "a zebra, at night", True),
        ("a zebra", "a giraffe", False),
    ],
)
def test_requests_that_ask_for_the_same(
    repository: Repository, one: str, other: str, same: bool
) -> None:
    found = asking_for_the_same(check_in(other, repository, now=NOW), [one], repository, now=NOW)
    assert found == ((one,) if same else ())


@pytest.mark.parametrize(
    ("request_text", "other", "holds"),
    [
        ("moss with the oak chair, at night", "moss and the oak chair", True),
        ("moss in a garden", "moss and the oak chair", False),
        ("moss with a chair", "moss and the oak chair", False),
        ("moss in a garden", "moss on a sofa", True),
    ],
)
def test_a_choice_holds_where_its_models_are_named_again(
    repository: Repository, request_text: str, other: str, holds: bool
) -> None:
    chosen = [PinnedModel(Reference.of(one)) for one in repository.cards if one.name[:3] == "oak"]
    decision = check_in(request_text, repository, now=NOW)
    assert still_chosen(decision, other, chosen, repository) is holds


@pytest.mark.parametrize(
    ("request_text", "other", "name", "holds"),
    [
        ("a chair, at night", "a chair", "oak_chair_v2", True),
        ("an oak chair", "a chair", "oak_chair_v2", True),
        ("my rocking chair", "a chair", "oak_chair_v2", False),
        ("my newest chair", "a chair", "oak_chair_v2", False),
        ("moss v2 on a sofa", "moss on a sofa", "moss_v1", False),
        ("moss on a red sofa", "moss on a sofa", "moss_v1", True),
        ("moss on a sofa, flux", "moss on a sofa", "moss_v1", False),
        ("moss, no people", "moss", "moss_v1", True),
        ("moss without a collar", "moss", "moss_collar_v1", False),
        ("moss from may, on a sofa", "moss from may", "moss_v1", True),
    ],
)
def test_a_choice_gives_way_to_what_is_said_of_another_model(
    repository: Repository, request_text: str, other: str, name: str, holds: bool
) -> None:
    decision = check_in(request_text, repository, now=NOW, answers=["rocking_chair"])
    chosen = [PinnedModel(Reference.of(one)) for one in repository.cards if one.name == name]
    assert still_chosen(decision, other, chosen, repository) is holds


@pytest.mark.parametrize("answer", ["lola", "lola_v1", "rex v1", "the rex one"])
def test_an_answer_holds_where_the_question_has_no_room_for_its_model(repository, answer) -> None:
    """A library that grows, and a scene, put others among the four that are offered."""
    for request in ("my dog on the beach", "my dog in the car"):
        found = check_in(request, repository, now=NOW, answers=[answer])
        assert found.card
        assert found.card.name.startswith(answer.replace("the ", "")[:3])
        assert found.unheard == ()


def test_an_answer_that_names_nothing_is_said(repository) -> None:
    asked = check_in("my dog on the beach", repository, now=NOW, answers=["moss_v9"])
    assert asked.question
    assert asked.unheard == ("moss_v9",)


def test_a_question_is_another_where_more_is_said_of_the_models(tmp_path) -> None:
    """So that "1", the armour of one question, is no answer to the next."""
    outfits = ("v3", "armadura_v2", "invierno_v1", "fiesta_v1", "vieja-000010")
    for day, outfit in enumerate(outfits, 10):
        own(tmp_path, f"nekane_{outfit}", day, "nekane girl", "armor" * (day == 11))
    repository = Repository.open(tmp_path, embedder=None)
    asked = ["nekane with armor", "the armor, nekane", "nekane wip scar closeup", "nekane winter"]
    assert all(check_in(one, repository, now=NOW).question for one in asked)
    first = check_in(asked[0], repository, now=NOW)
    assert asking_for_the_same(first, asked[1:], repository, now=NOW) == (asked[1],)


@pytest.mark.parametrize(
    ("request_text", "other", "goes"),
    [
        ("moss in watercolour, at night", "moss in watercolour", True),
        ("moss in watercolour", "moss in watercolour, at night", True),
        ("at night, moss in watercolour", "moss in watercolour", True),
        ("a portrait of moss in watercolour", "moss in watercolour, window", False),
        ("雪の中のモス", "雪の中のモス、夜", True),
    ],
)
def test_a_request_that_is_worded_on(request_text: str, other: str, goes: bool) -> None:
    assert goes_on(request_text, other) is goes


def test_how_a_model_is_used_holds_while_the_request_is_worded_on(repository: Repository) -> None:
    newest = check_in("moss on a sofa", repository, now=NOW)
    chosen = [PinnedModel(Reference.of(newest.card), strength=0.4)]
    for asked, holds in (("moss on a sofa, at night", True), ("moss by the sea", False)):
        decision = check_in(asked, repository, now=NOW)
        assert still_chosen(decision, "moss on a sofa", chosen, repository) is holds


def test_a_model_is_used_as_it_was_before(repository: Repository) -> None:
    used = [PinnedModel(Reference(name="moss_v2"), strength=0.4, triggers=())]
    decision = check_in("moss and the oak chair", repository, now=NOW, used=used)
    assert decision.models[0].strength == 0.4
    assert "mosdog" not in decision.prompt
    assert "As you set it before: moss_v2." in decision.notices
    other = check_in("the oak chair", repository, now=NOW, used=used)
    assert not other.notices
    by_hand = [PinnedModel(Reference(name="moss_v2"))]
    picked = check_in("moss", repository, now=NOW, used=used, chosen=by_hand)
    assert [one.strength for one in picked.models] != [0.4]
