"""Test which word is a kind of which, what is a name, and what only sets the mood."""

from __future__ import annotations

from datetime import timedelta

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.lexicon import FALLBACK_HYPERNYMS, HYPERNYMS, SUBJECTS, with_hypernyms
from personalq.tests.checkin.world import NOW


def card(
    name: str,
    *subjects: str,
    styles: tuple[str, ...] = ("realistic",),
    about: str = "",
    days: int = 9,
) -> Card:
    made = NOW - timedelta(days=days)
    return Card(
        name,
        f"/models/{name}.safetensors",
        triggers=(name.replace("-", " "),),
        subjects=subjects,
        styles=styles,
        description=about,
        created_at=made,
        lineage=name,
    )


def answer(request: str, *cards: Card) -> str:
    """The id chosen, else "ask" or "none"."""
    decision = check_in(request, Repository(cards, embedder=None), now=NOW)
    return decision.card.id if decision.card else "ask" if decision.question else "none"


CORGI = card("wffls-corgi", "corgi")
POODLE = card("pompom", "dog", about="A black poodle with a round head")
DOG = card("rex", "dog")
CAT = card("miso-cat", "cat")


def test_the_table_of_things_has_no_circle_and_knows_all_its_kinds():
    for thing, wider in HYPERNYMS.items():
        assert thing not in wider
        assert thing not in FALLBACK_HYPERNYMS[thing]
    assert {("dog",), ("pet",), ("animal",)} <= with_hypernyms(("corgi",))
    assert SUBJECTS[("pup",)] == (("dog",),)


@pytest.mark.parametrize(
    ("request_text", "cards", "expected"),
    [
        ("my dog", (CORGI, CAT), "wffls-corgi"),
        ("my pet", (CORGI, CAT), "ask"),
        ("a poodle", (CORGI, POODLE), "pompom"),
        ("a poodle", (CORGI,), "none"),
        ("a corgi", (DOG, CAT), "rex"),
        ("a corgi", (POODLE, CAT), "none"),
        ("a wolf", (DOG, CAT), "none"),
    ],
)
def test_narrower_and_wider_words(request_text, cards, expected):
    assert answer(request_text, *cards) == expected


def test_a_house_is_a_building_only_where_nothing_else_is():
    house, tower = card("h", "house"), card("t", "building")
    assert answer("the building at night", house, tower) == "t"
    assert answer("the building at night", house, CAT) == "h"


def test_what_is_not_there_is_told_with_the_nearest():
    decision = check_in("a wolf", Repository([DOG, CAT, card("c", "car")], embedder=None), now=NOW)
    assert {miss.card.id for miss in decision.near} == {"rex", "miso-cat"}
    assert "There is no 'wolf' here" in decision.why


BISCUIT = card("biscuit-real", "dog")
TOON = card("biscuit-toon", "dog", styles=("cartoon",), days=3)
FIAT = card("sks-fiat", "car")


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("biscuit at the beach", "ask"),
        ("my latest biscuit at the beach", "biscuit-toon"),
        ("the cartoon biscuit", "biscuit-toon"),
        ("red fiat on a hill", "sks-fiat"),
    ],
)
def test_names_that_people_gave(request_text, expected):
    assert answer(request_text, BISCUIT, TOON, FIAT) == expected


def test_light_and_mood_say_nothing_of_the_thing():
    golden = card("g", "dog", about="A golden retriever")
    black = card("b", "dog", about="A black labrador", days=2)
    assert answer("my latest dog, golden light", golden, black) == "b"
    assert answer("the golden dog", golden, black) == "g"
    assert answer("my dog rex in the rain, cinematic, neon", DOG) == "rex"


def test_ordinals_before_a_thing_count_builds():
    builds = [
        Card(f"fox-{n}", subjects=("fox",), created_at=NOW - timedelta(days=10 - n), lineage="fox")
        for n in (1, 2, 3)
    ]
    assert answer("the second fox", *builds) == "fox-2"
    assert answer("the earlier of the two foxes", *builds[:2]) == "fox-1"


def test_two_things_side_by_side_are_asked_about_where_no_model_is_of_both():
    bear, fox = card("b", "bear"), card("f", "fox", days=2)
    assert answer("a bear and a fox sharing an umbrella", bear, fox) == "ask"
    assert answer("my bear and a fox", bear, fox) == "b"
    assert answer("a bear on a bench with a fox", bear, fox) == "b"
    both = card("both", "bear", "fox", days=5)
    assert answer("a bear and a fox sharing an umbrella", bear, fox, both) == "both"


def test_neither_a_nor_b():
    toy, ink = card("toy", "toy", "van"), card("ink", "van", styles=("ink",))
    assert answer("neither the toy nor the ink one: the van", toy, ink, card("van", "van")) == "van"
