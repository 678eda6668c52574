"""Test what the version of a model is called where a trainer numbered its builds."""

from __future__ import annotations

import pytest

from personalq.checkin import Card
from personalq.checkin.catalog.said_version import version_in_short, version_in_words
from personalq.checkin.lexicon.sentences import speaking
from personalq.checkin.readers.file_name import version_in


@pytest.mark.parametrize(
    ("name", "short", "words"),
    [
        ("bear_v4", "v4", "version 4"),
        ("bear_v2-000010", "v2", "version 2"),
        ("bear-000010", "epoch 10", "epoch 10"),
        ("bear_000002000", "step 2000", "step 2000"),
        ("bear-step00002000", "step 2000", "step 2000"),
        ("bear 2025-04-11_10-10-10-save-300-10-0", "step 300", "step 300"),
        ("bear", "", ""),
    ],
)
def test_a_number_of_the_training_is_called_what_it_counts(name, short, words):
    card = Card(name, version=version_in(name), sources={"version": "file name"})
    assert (version_in_short(card), version_in_words(card)) == (short, words)


def test_a_version_that_a_person_gave_is_one():
    card = Card("bear_000002000", version="v3", sources={"version": "sidecar"})
    assert version_in_short(card) == "v3"


def test_it_is_said_in_the_language_of_the_page():
    card = Card("bear-000010", version="10", sources={"version": "file name"})
    with speaking("de"):
        assert version_in_words(card) == "Epoche 10"
