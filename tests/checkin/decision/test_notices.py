"""Test what is said of the triggers of a chosen model."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.connected import ConnectedModel
from personalq.checkin.catalog.pinned import PinnedModel
from personalq.checkin.catalog.reference import Reference
from personalq.tests.checkin.world import NOW

CAPTIONS = {"zwup": 1.0, "dog": 1.0, "grass": 0.4}


def notices(**fields) -> list[str]:
    card = Card("rex", path="/m/rex.safetensors", base_model="sd15", **fields)
    decision = check_in("rex on a hill", Repository([card], embedder=None), now=NOW)
    assert decision.card
    return [one for one in decision.notices if "No trigger is known" in one]


def test_a_made_up_word_of_all_captions_is_told() -> None:
    (notice,) = notices(kind="lora", captions=CAPTIONS)
    assert notice == (
        "No trigger is known for rex, and all its training captions have 'zwup': if that is its "
        "trigger, put it into its card."
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "lora", "captions": CAPTIONS, "triggers": ("zwup",)},
        {"kind": "lora", "captions": {"dog": 1.0, "1girl": 1.0, "solo": 1.0}},
        {"kind": "lora", "captions": {"zwup": 0.8, "dog": 1.0}},
        {"kind": "lora"},
        {"kind": "checkpoint", "captions": CAPTIONS},
    ],
    ids=["has a trigger", "plain words", "not all captions", "no captions", "a checkpoint"],
)
def test_nothing_is_told_where_there_is_no_such_word(fields) -> None:
    assert notices(**fields) == []


def told(request: str, **captions: dict[str, float]) -> list[str]:
    shared = {"base_model": "sd15", "kind": "lora"}
    cards = [
        Card(name, path=f"/m/{name}.safetensors", lineage=name, captions=of, **shared)
        for name, of in captions.items()
    ]
    decision = check_in(request, Repository(cards, embedder=None), now=NOW)
    assert {card.name for card in decision.cards} == captions.keys()
    return [one for one in decision.notices if "No trigger is known" in one]


def test_of_several_models_one_sentence_tells() -> None:
    captions = {"rex": CAPTIONS, "juno": {"jnpz cat": 1.0}}
    assert told("rex next to juno on a hill", **captions) == [
        "No trigger is known for 2 models. All training captions have 'zwup' (rex) and 'jnpz cat' "
        "(juno): if these are their triggers, put them into their cards."
    ]


def test_what_the_request_says_anyway_is_not_told() -> None:
    assert told("nekane on a hill", nekane={"nekane girl": 1.0}) == []
    assert told("a zwup rex on a hill", rex=CAPTIONS) == []


def mixed(*bases: str, connected: str | None = None) -> list[str]:
    names = ("rex", "juno", "mara")
    cards = [
        Card(name, path=f"/m/{name}.safetensors", lineage=name, kind="lora", base_model=base)
        for name, base in zip(names, bases, strict=False)
    ]
    chosen = [PinnedModel(Reference.of(card)) for card in cards]
    model = (
        ConnectedModel(Card("mix", kind="checkpoint", base_model=connected), connected)
        if connected
        else None
    )
    decision = check_in(
        "them on a hill", Repository(cards, embedder=None), now=NOW, chosen=chosen, connected=model
    )
    assert len(decision.cards) == len(bases), decision.why
    return [one for one in decision.notices if "load together" in one]


def test_models_of_two_families_on_the_same_layers_are_told() -> None:
    assert mixed("pony", "illustrious") == [
        "rex is for Pony and juno is for Illustrious: they load together, but one of them may not "
        "look like itself. Swap it for one of the other's base model."
    ]
    assert len(mixed("pony", connected="illustrious")) == 1


@pytest.mark.parametrize(
    "bases", [("pony", "pony"), ("sdxl", "pony"), ("noobai", "illustrious"), ("sd15",)]
)
def test_nothing_is_told_of_models_of_one_line(bases) -> None:
    assert mixed(*bases) == []
