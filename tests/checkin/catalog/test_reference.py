"""Test that a model which a workflow names is found on another machine.

It is found by content, else by its card; otherwise the nearest models are offered.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.reference import Reference
from personalq.checkin.decision.resolve import find
from personalq.tests.checkin.world import NOW, cards

HASH = "ab12cd34ef" + "0" * 54


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository(cards(), embedder=None)


def a_card(name: str = "bear_v3", **fields) -> Card:
    known = {
        "id": name,
        "triggers": ("<bear-v3>",),
        "version": "3",
        "base_model": "sd15",
        "lineage": "bear realistic",
    }
    return Card(path=f"/some/place/{name}.safetensors", **{**known, **fields})


def elsewhere(*cards: Card) -> Repository:
    return Repository(cards, embedder=None)


def asked(reference: Reference, repository: Repository):
    return check_in("a bear", repository, now=NOW, chosen=reference)


def test_a_renamed_file_is_found_by_its_content():
    there = elsewhere(
        a_card("other"), a_card("mine", id="x", triggers=(), version=None, lineage="y", sha256=HASH)
    )
    for known in (HASH, HASH[:10]):
        decision = asked(replace(Reference.of(a_card()), sha256=known), there)
        assert decision.card.id == "x"
        assert decision.why == "You chose mine, found by its content."


def test_without_a_hash_it_is_found_by_its_card():
    there = elsewhere(
        a_card("renamed", id="r"), a_card("bear_v4", id="b4", triggers=("<bear-v4>",), version="4")
    )
    decision = asked(Reference.of(a_card(sha256=HASH)), there)
    assert decision.card.id == "r"
    assert decision.why == "You chose renamed, found by its trigger and version."


def test_the_same_name_with_other_content_is_another_model():
    """A hash that was taken of the file itself; one from a sidecar may be another file's."""
    other = a_card(sha256="f" * 64, sources={"sha256": "file"})
    decision = asked(Reference.of(a_card(sha256=HASH)), elsewhere(other))
    assert decision.outcome == "no_match"
    assert decision.why.startswith(
        "bear_v3 (sha256 ab12cd34ef…) is not here. Choose one of the nearest"
    )
    assert [(miss.card.id, miss.dropped) for miss in decision.near] == [
        ("bear_v3", "the same content")
    ]
    copied = replace(other, sources={"sha256": "civitai.info"})
    assert asked(Reference.of(a_card(sha256=HASH)), elsewhere(copied)).card.id == "bear_v3"


def test_a_hash_that_a_sidecar_claims_counts_where_nothing_differs():
    claims = {"sha256": HASH, "sources": {"sha256": "civitai.info"}}
    reference = Reference.of(a_card(sha256=HASH))
    said = {"triggers": (), "styles": ("photo",), "version": None, "lineage": "y"}
    renamed = a_card("renamed", id="x", **said, **claims)
    assert asked(reference, elsewhere(renamed)).card.id == "x"
    forged = a_card("forged", id="x", triggers=("<cat>",), version="9", **claims)
    assert asked(reference, elsewhere(forged)).outcome == "no_match"
    assert asked(reference, elsewhere(forged, a_card())).card.id == "bear_v3"


@pytest.mark.parametrize(
    ("fields", "differs"),
    [
        ({"version": "4"}, "version 3"),
        ({"base_model": "sdxl"}, "base model sd15"),
        ({"triggers": ("ohwx",)}, "<bear-v3>"),
        ({"kind": "lora"}, "checkpoint"),
    ],
)
def test_what_differs_rules_out_and_is_offered_as_the_nearest(fields, differs):
    decision = asked(Reference.of(a_card()), elsewhere(a_card(**fields)))
    assert decision.outcome == "no_match"
    assert [miss.dropped for miss in decision.near] == [differs]


def test_a_trigger_that_many_models_have_is_not_enough():
    dogs = [
        a_card(
            f"dog_{n}", triggers=("sks dog",), version=None, lineage=f"dog {n}", subjects=("dog",)
        )
        for n in "ab"
    ]
    reference = Reference("my_dog", trigger="sks dog", lineage="something else")
    assert asked(reference, elsewhere(*dogs)).outcome == "no_match"


def test_two_models_of_one_name_are_a_choice():
    same = [
        a_card("sketch", id=place, triggers=(f"<{place}>",), version=None)
        for place in ("april", "may")
    ]
    decision = asked(Reference("sketch"), elsewhere(*same))
    assert decision.why.startswith("2 models here may be sketch.")
    assert {miss.card.id for miss in decision.near} == {"april", "may"}
    assert asked(Reference.of(same[1]), elsewhere(*same)).card.id == "may"


def test_nothing_like_it():
    decision = asked(Reference("nothing_v1"), elsewhere(a_card()))
    assert (decision.outcome, decision.near) == ("no_match", ())
    assert decision.why == "nothing_v1 is not here. Let the request decide."


def test_every_model_is_found_by_its_own_reference(repository):
    for card in repository.cards:
        assert find(Reference.of(card), repository.catalogue())[0].id == card.id


def test_stored_cards_are_found_as_those_in_memory_are(demo_repository, tmp_path):
    stored = Repository.open(
        demo_repository / "loras", cache=tmp_path / "index.sqlite", embedder=None
    )
    in_memory = Repository(list(stored.cards), embedder=None)
    for card in stored.cards:
        reference = replace(Reference.of(card), id=None)
        for repository in (stored, in_memory):
            entry, near = find(reference, repository.catalogue())
            assert entry.id == card.id
            assert card.id not in {other.id for other in near}


def test_a_chosen_model_is_served_and_rewritten_like_any(repository):
    card = repository.get("bear-plush-1")
    decision = check_in("my latest realistic bear", repository, now=NOW, chosen=Reference.of(card))
    assert (decision.outcome, decision.card) == ("select", card)
    assert card.trigger in decision.prompt
    assert "bear-real-4" in {other.id for other in decision.others}
