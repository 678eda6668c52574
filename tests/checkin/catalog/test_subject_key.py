"""Test the senses in which a phrase of a request can mean a card's subject."""

from __future__ import annotations

import pytest

from personalq.checkin import Card
from personalq.checkin.catalog.subject_key import Match, SubjectKey, kind_keys, only_names
from personalq.checkin.catalog.vocabulary import Vocabulary

CARDS = (
    Card("biscuit-v1", "/models/biscuit-v1.safetensors", subjects=("dog",)),
    Card("h", "/models/h.safetensors", subjects=("house",)),
)


@pytest.mark.parametrize(
    ("phrase", "key"),
    [
        (("dog",), SubjectKey(("dog",))),
        (("pup",), SubjectKey(("dog",))),
        (("animal",), SubjectKey(("animal",))),
        (("poodle",), SubjectKey(("dog",), Match.EXACT)),
        (("building",), SubjectKey(("building",), Match.FALLBACK)),
        (("biscuit",), SubjectKey(("biscuit",), Match.NAME)),
    ],
)
def test_a_phrase_stands_for_a_card_in_the_first_sense_that_fits(phrase, key):
    assert Vocabulary(CARDS).subject(phrase) == {key}


def test_a_phrase_that_no_card_has_stands_for_none():
    assert Vocabulary(CARDS).subject(("submarine",)) == frozenset()


def test_kinds_as_keys_tell_fallbacks_apart():
    assert SubjectKey(("building",), Match.FALLBACK) in kind_keys(("house",))
    assert SubjectKey(("building",)) not in kind_keys(("house",))
    assert kind_keys(("xyzzy",)) == set()


def test_only_names():
    name = SubjectKey(("biscuit",), Match.NAME)
    assert only_names({name})
    assert not only_names({name, SubjectKey(("dog",))})
