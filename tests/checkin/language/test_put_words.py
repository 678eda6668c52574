"""Test what a card does to a request that it is dragged into."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalq.checkin.language.put_words import with_words

SABER = "saber_\\(fate\\)"


def with_bear(request: str, before: str = "") -> str:
    subjects = ["bear", "teddy bear"]
    said = with_words(request, "<bear-v4>", triggered=True, subjects=subjects, before=[before])
    return said.request


@pytest.mark.parametrize(
    ("request_", "wanted", "before"),
    [
        pytest.param("", "<bear-v4>", "", id="nothing"),
        pytest.param("my latest bear on grass", "my latest <bear-v4> on grass", "", id="subject"),
        pytest.param("a Teddy Bear in snow", "a <bear-v4> in snow", "", id="the longest subject"),
        pytest.param("a bearded man", "a bearded man <bear-v4>", "", id="no part of a word"),
        pytest.param(" a forest ", "a forest <bear-v4>", "", id="no subject"),
        pytest.param("a <bear-v4> and a bear", "a <bear-v4> and a bear", "", id="these very words"),
        pytest.param(
            "a <bear-v3> and a bear", "a <bear-v4> and a bear", "<bear-v3>", id="another card's"
        ),
    ],
)
def test_takes_the_place_of(request_, wanted, before):
    assert with_bear(request_, before) == wanted


def test_takes_signs_as_they_are():
    odd = {"triggered": True, "subjects": ["(a+)+$", "c++"]}
    assert with_words("a c++ bear", "\\1 $1", **odd).request == "a \\1 $1 bear"
    said = with_words("곰 한 마리", "<gom>", triggered=True, subjects=["곰"])
    assert said == ("<gom> 한 마리", "곰")


@pytest.mark.parametrize("there", [SABER, "saber_(fate)", "Saber (Fate)", "(saber_(fate):1.2)"])
def test_puts_no_trigger_beside_itself(there):
    request = f"a {there}, 1girl"
    assert with_words(request, SABER, triggered=True, subjects=["saber"]) == (request, "")


def test_finds_a_trigger_that_is_written_with_underscores_for_hyphens():
    assert with_words("a my_dog_v2", "my-dog-v2", triggered=True).request == "a my_dog_v2"


def test_takes_no_part_of_a_word_for_a_trigger():
    assert with_words("she asks", "sks", triggered=True).request == "she asks sks"


def test_the_name_of_a_card_without_a_trigger_goes_into_an_empty_request_alone():
    style = {"triggered": False, "subjects": ["ink"]}
    assert with_words("a castle", "ink_v2", **style).request == "a castle"
    assert with_words(" ", "ink_v2", **style).request == "ink_v2"


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        pytest.param("a corgi on a hill ohwx dog", "a corgi on a hill", id="at the end"),
        pytest.param("my ohwx dog on a hill", "my ink on a hill", id="for a subject"),
        pytest.param("ohwx dog", "ink_v2", id="alone"),
        pytest.param("a castle", "a castle", id="no longer there"),
    ],
)
def test_a_card_without_a_trigger_takes_out_what_another_card_put(request_, wanted):
    style = {"triggered": False, "subjects": ["ink"], "before": ["ohwx dog"]}
    assert with_words(request_, "ink_v2", **style).request == wanted


def test_words_of_no_subject_leave_no_gap():
    said = with_words("my ohwx dog on a hill", "ink_v2", triggered=False, before=["ohwx dog"])
    assert said.request == "my on a hill"


def test_takes_no_word_of_another_trigger_for_a_subject():
    assert with_bear("a <toon-bear-v2> on grass") == "a <toon-bear-v2> on grass <bear-v4>"
    said = with_words(
        "a sks dog and a dog", "<pip>", triggered=True, subjects=["dog"], others=["sks dog"]
    )
    assert said == ("a sks dog and a <pip>", "dog")


def test_takes_the_place_of_one_card_and_takes_out_the_others():
    before = ["<pip>", "ink style"]
    said = with_words("a <pip> on a hill ink style", "<bear>", triggered=True, before=before)
    assert said.request == "a <bear> on a hill"


@settings(deadline=None)  # the clock of a busy machine is no fault
@given(
    request_=st.text(max_size=60),
    words=st.text(min_size=1, max_size=20),
    subjects=st.lists(st.text(min_size=1, max_size=12), max_size=3),
    before=st.text(max_size=12),
)
def test_any_signs_are_put(request_, words, subjects, before):
    first = with_words(request_, words, triggered=True, subjects=subjects, before=[before])
    said = first.request
    assert words in said or words.casefold() in said.casefold() or said == request_
