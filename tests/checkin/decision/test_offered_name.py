"""Test what a model that was picked by hand could be called, and that requests find it by that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from personalq.checkin import Card, Decision, Repository, check_in
from personalq.checkin.catalog.reference import Reference
from personalq.tests.checkin.world import NOW

FOLDER = "/models/loras"
MOSS = Card(
    "moss_v3",
    f"{FOLDER}/moss_v3.safetensors",
    "lora",
    ("mosdog border collie",),
    tags=("dog",),
    captions={"a dog on grass": 1.0, "a red hat": 0.3},
)
CARDS = (
    MOSS,
    Card("nelson", f"{FOLDER}/nelson.safetensors", "lora", ("nlsncat",), subjects=("cat",)),
    Card("luna", f"{FOLDER}/luna.safetensors", "lora", ("lunacat",), subjects=("cat",)),
    Card("plush", f"{FOLDER}/plush.safetensors", "lora", ("<bear-v4>",), subjects=("bear",)),
    Card("wool", f"{FOLDER}/wool.safetensors", "lora", ("felted wool",), styles=("felt",)),
)
READ = {"subjects": "safetensors", "styles": "safetensors"}
KINDS = ("by evidence", "described")


def library(kind: str, *changed: Card) -> Repository:
    """CARDS with `changed` added or in place of theirs; read from files or described by people."""
    described = {"subjects": "sidecar", "styles": "sidecar"}
    cards = list({card.id: card for card in (*CARDS, *changed)}.values())
    cards = [replace(card, sources=described if kind == "described" else READ) for card in cards]
    if kind == "described":
        cards = [card if card.styles else _with_a_subject(card) for card in cards]
    return Repository(cards, embedder=None)


def _with_a_subject(card: Card) -> Card:
    return replace(card, subjects=card.subjects or ("dog",))


def by_hand(repository: Repository, request: str, card: Card = MOSS) -> Decision:
    return check_in(request, repository, now=NOW, chosen=Reference.of(card))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("pickle on the sofa", "pickle"),
        ("mein gürkchen auf dem sofa", "gürkchen"),
        ("Pickle asleep in the sun, golden light", "pickle"),
        ("my pickle", "pickle"),
        ("my wife in the garden", "wife"),
        ("2boys, pickle in the rain", "pickle"),
        ("a photo of pickle in the snow", "pickle"),
        ("latest pickle from october", "pickle"),
        ("grumpy old pickle on a wall", "pickle"),
        ("pickle eats cake", "pickle"),
        ("pickle's birthday party", "pickle"),
        ("pickle the dog on the sofa", "pickle"),
        ("my dog pickle on the sofa", "pickle"),
        ("pickle in watercolour", "pickle"),
        ("pickle, a fluffy boy", "pickle"),
        ("mr whiskers by the fire", "mr whiskers"),
        ("auntie carol in the kitchen", "auntie carol"),
        ("my mum at the beach", "mum"),
        ("a big red gryphon over mountains", "gryphon"),
        ("pickle on the sofa mosdog border collie", "pickle"),
    ],
)
def test_words_that_no_model_is_called_by_are_offered(kind, request_text, name):
    assert by_hand(library(kind), request_text).offered_name == name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "request_text",
    [
        "moss on the sofa",
        "grumpy moss on the sofa",
        "mosdog border collie, fluffy",
        "mosdog border collie with zorblax",
        "grumpy dog on the sofa",
        "my dog",
        "nelson on the sofa",
        "a felt cat",
        "<bear-v4> and pickle",
        "photo",
        "1girl, solo, portrait",
        "a man in a hat",
        "a portrait of a woman",
        "watercolour",
        "the latest one",
        "the one from last month",
        "sunset at the beach",
        "something cosy",
        "a tan one",
        "zorblax style",
        "not pickle",
        "red hat",
        "zorblax mega hyper ultra beast",
        "沙发上的饺子",
        "12 34",
    ],
)
def test_nothing_is_offered(kind, request_text):
    assert by_hand(library(kind), request_text).offered_name == ""


def test_nothing_is_offered_where_check_in_decided_alone():
    decision = check_in("my border collie on the pickle jar", library("by evidence"), now=NOW)
    assert (decision.card.id, decision.offered_name) == ("moss_v3", "")


def test_nothing_is_offered_for_a_model_without_a_file():
    repository = Repository([Card("a", triggers=("sks",)), *CARDS], embedder=None)
    assert by_hand(repository, "pickle on the sofa", Card("a", triggers=("sks",))).card.id == "a"
    assert (
        by_hand(repository, "pickle on the sofa", Card("a", triggers=("sks",))).offered_name == ""
    )


def test_an_answer_offers_too_in_a_described_library():
    repository = library("described")
    asked = check_in("pickle the cat", repository, now=NOW)
    assert (asked.outcome, asked.offered_name) == ("clarify", "")
    answered = check_in("pickle the cat", repository, now=NOW, answers=["nelson"])
    assert (answered.card.id, answered.offered_name) == ("nelson", "pickle")


def test_an_answer_offers_too_by_evidence(demo_repository):
    repository = Repository.open(demo_repository, embedder=None)
    asked = check_in("pickle the bear", repository, now=NOW)
    assert (asked.outcome, asked.offered_name) == ("clarify", "")
    answered = check_in("pickle the bear", repository, now=NOW, answers=["cartoon"])
    assert (answered.card.name, answered.offered_name) == ("bear_cartoon_v2", "pickle")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["pickle", "old boot", "auntie carol"])
def test_a_request_finds_a_model_by_what_the_user_calls_it(kind, name):
    request = f"{name} on the sofa"
    repository = library(kind, replace(MOSS, names=(name,)))
    decision = check_in(request, repository, now=NOW)
    assert check_in(request, library(kind), now=NOW).outcome == "no_match"
    assert (decision.outcome, decision.card.id) == ("select", "moss_v3")
    assert decision.prompt == "mosdog border collie on the sofa"
    assert by_hand(repository, request).offered_name == ""
    nelson = next(card for card in CARDS if card.id == "nelson")
    assert by_hand(repository, request, nelson).offered_name == "", "another model is called so"


def test_a_name_of_one_build_calls_its_lineage_by_evidence():
    older = replace(MOSS, version="3", created_at=NOW.replace(month=1), names=("pickle",))
    newer = replace(older, id="moss_v4", path=f"{FOLDER}/moss_v4.safetensors", names=())
    newer = replace(newer, version="4", created_at=NOW.replace(month=3))
    decision = check_in("pickle on the sofa", library("by evidence", older, newer), now=NOW)
    assert decision.card.id == "moss_v4"
    assert decision.prompt == "mosdog border collie on the sofa"


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_makes_no_other_lineage(kind):
    wool = next(card for card in CARDS if card.id == "wool")
    before = library(kind).catalogue().columns.lineage_hash
    after = library(kind, replace(wool, names=("pickle",)), replace(MOSS, names=("boot",)))
    assert after.catalogue().columns.lineage_hash.tolist() == before.tolist()


def test_a_base_model_is_called_by_nothing_that_it_draws() -> None:
    base = Card("dreams_8", f"{FOLDER}/dreams_8.safetensors", base_model="sd15")
    lora = replace(MOSS, base_model="sd15")
    repository = library("by evidence", base, lora)
    assert by_hand(repository, "a dragon over a castle", base).offered_name == ""
    assert by_hand(repository, "dragon over a castle", lora).offered_name == "dragon"
