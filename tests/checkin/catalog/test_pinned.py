"""Test the text of models that were picked by hand: a person can read, edit and share it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalq.checkin import Card
from personalq.checkin.catalog.pinned import MAX_MODELS, PinnedModel, PinnedModels
from personalq.checkin.catalog.reference import Reference
from personalq.tests.checkin.world import cards

HASH = "ab12cd34ef" + "0" * 54


def read(text: str) -> PinnedModels:
    found = PinnedModels.from_text(text)
    assert found
    return found


def named(name: str, **use) -> PinnedModel:
    return PinnedModel(Reference(name), **use)


def test_the_text_is_read_again_and_holds_no_path():
    for card in (*cards(), Card("x", path="/a/b.safetensors", sha256=HASH, triggers=("<b>",))):
        one = PinnedModel(Reference.of(card), 0.85, False, ("<b>", "fur"))
        chosen = PinnedModels((one, named("other")), "a bear in the snow", ("cartoon",))
        assert read(chosen.to_text()) == chosen
        assert card.path is None or card.path not in chosen.to_text()


def test_a_person_writes_a_line_per_model():
    text = """
        for: nelson  in needle felt style
        nelson_v3; 0.8
        model: needle felt; strength: 0.65; triggers: felt, wool
        ink; off; triggers: off
        sha256: AB12CD34EF; -1
    """
    assert read(text) == PinnedModels(
        (
            named("nelson_v3", strength=0.8),
            named("needle felt", strength=0.65, triggers=("felt", "wool")),
            named("ink", on=False, triggers=()),
            PinnedModel(Reference(sha256="ab12cd34ef"), strength=-1.0),
        ),
        "nelson in needle felt style",
    )


def test_a_name_alone_is_enough():
    assert read("\n bear_v3 \n") == PinnedModels((named("bear_v3"),))
    assert read("FOR: a  bear\nModel: bear_v3") == PinnedModels((named("bear_v3"),), "a bear")
    assert read("bear\ndog") == PinnedModels((named("bear"), named("dog")))
    assert PinnedModels.from_text(" \n") is None
    assert PinnedModels.from_text("for: a bear") is None


def test_a_text_of_one_model_from_before_is_read():
    text = f"for: a bear\nanswer: cartoon\nmodel: bear_v3\nsha256: {HASH}\ntrigger: <b>\nversion: 3"
    one = PinnedModel(Reference("bear_v3", sha256=HASH, trigger="<b>", version="3"))
    assert read(text) == PinnedModels((one,), "a bear", ("cartoon",))


@pytest.mark.parametrize(
    "name", ["off", "on", "0.8", "a; b", "a;b", r"a\; b", "a: b", "for x", ";", "\\", "a\\;"]
)
def test_any_name_of_a_file_is_read_again(name):
    chosen = PinnedModels((named(name, strength=0.5), named("other")))
    assert read(chosen.to_text()) == chosen


@settings(deadline=None)  # the clock of a busy machine is no fault
@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).map(str.strip))
def test_any_text_is_read_again(name):
    chosen = PinnedModels((named(name, triggers=("a",)), named("other", on=False)))
    assert read(chosen.to_text()) == chosen


@pytest.mark.parametrize("name", ["0.8", "off", "2024"])
def test_a_line_without_a_mark_is_a_name(name):
    assert read(name).models == (named(name),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bear; strenght: 0.8", "Line 1 of `chosen`: 'strenght: 0.8' is not understood. Write a"),
        ("bear; dog", "Line 1 of `chosen`: 'dog' is not understood. Write a line for each model"),
        ("bear\n\ndog; 50", "Line 3 of `chosen`: '50' is not understood"),
        ("bear; strength: 11", "'11' is no strength: write a number from -10 to 10, such as 0.8"),
        ("bear; strength: nan", "'nan' is no strength"),
        ("strength: 0.8", "Line 1 of `chosen`: 'strength: 0.8' names no model. Write a line for"),
        ("sha256: ab12", "is no hash: give the file's SHA-256, or its first 10 digits"),
        ("bear\n" * (MAX_MODELS + 1), "`chosen` names 21 models: 20 are the most"),
    ],
)
def test_a_bad_line_gets_a_sentence_with_the_next_step(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        PinnedModels.from_text(text)


def test_a_choice_is_for_its_request():
    chosen = PinnedModels((named("bear_v3"),), "a bear")
    assert chosen.is_for(" a\n bear")
    assert not chosen.is_for("a dog")
    assert replace(chosen, request=None).is_for("a dog")


def test_each_request_has_its_own_models_and_those_above_are_for_any_other():
    both = "cat\nfor: a bear\nbear_v3; 0.8\nfor: a dog\ndog\nfor: nothing\n"
    cat = PinnedModels((named("cat"),))
    bear = PinnedModels((named("bear_v3", strength=0.8),), "a bear")
    dog = PinnedModels((named("dog"),), "a dog")
    every = PinnedModels.all_from_text(both)
    assert every == (cat, bear, dog)
    assert PinnedModels.of_request(every, "a  bear") == bear
    assert PinnedModels.of_request(every, "a tree") == cat
    assert PinnedModels.of_request(every[1:], "a tree") is None
