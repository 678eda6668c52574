"""Splitting, singulars and typing errors."""

from __future__ import annotations

import subprocess
import sys

import pytest

from personalq.checkin.lexicon.spelling import (
    as_written,
    closest,
    joined,
    name_words,
    plain,
    singular,
    split,
    stems,
    with_apostrophes,
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dogs", "dog"),
        ("houses", "house"),
        ("horses", "horse"),
        ("watches", "watch"),
        ("puppies", "puppy"),
        ("people", "person"),
        ("mice", "mouse"),
        ("geese", "goose"),
        ("leaves", "leaf"),
        ("boxes", "box"),
        ("glass", "glass"),
        ("bus", "bus"),
        ("canvas", "canvas"),
        ("dog", "dog"),
    ],
)
def test_singular(word, expected):
    assert singular(word) == expected


def test_a_dictionary_that_is_not_installed_is_missed_at_once():
    """And not model by model, as if the files were broken."""
    program = "import sys; sys.modules['simplemma'] = None; import personalq.checkin.index"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program + ".read_models"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "import of simplemma halted" in done.stderr


def test_apostrophes_that_people_leave_out():
    text = "Im sure she doesnt, and hes not in dont_look_v2 or the want ad"
    said = "i'm sure she doesn't, and he's not in dont_look_v2 or the want ad"
    assert with_apostrophes(text) == said


def test_words_keep_their_place_and_lose_their_possessive():
    text = "My Teddy-Bear\u2019s hat"
    words = split(text)
    assert [word.text for word in words] == ["my", "teddy", "bear", "hat"]
    assert [word.possessive for word in words] == [False, False, True, False]
    assert text[words[1].start : words[1].end] == "Teddy"


def test_a_name_with_an_apostrophe_is_one_word():
    assert name_words("O\u2019Brien_pub") == ("o'brien", "pub")
    assert name_words("nan's_kitchen") == ("nan", "kitchen")
    words = split("O\u2019Brien's rock'n'roll")
    assert [word.text for word in words] == ["o'brien", "rock'n'roll"]
    assert [word.possessive for word in words] == [True, False]


def test_plain_text_keeps_its_length():
    text = "İstanbul \u201924 \u2013 \u201cBear\u201d"
    assert len(plain(text)) == len(text)
    assert plain(text)[9:12] == "'24"


def test_phrases_are_compared_in_singulars_whatever_the_hyphens():
    assert stems("Cel-Shaded toys") == stems("cel shaded toy") == ("cel", "shaded", "toy")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("watercolr", "watercolor"), ("moutain", "mountain"), ("skecth", "sketch"), ("char", None)],
)
def test_closest(typed, meant):
    assert closest(typed, ["watercolor", "mountain", "sketch", "chair", "house"]) == meant


def test_joined():
    assert joined([]) == ""
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"], "and") == "a, b and c"


@pytest.mark.parametrize(
    ("words", "text", "written"),
    [
        (("mom", "orange", "idiot"), "Mom's orange idiot stuck in a can", "Mom's orange idiot"),
        (("church", "oil"), "our church in oils, snow", "church in oils"),
        (("dog",), "my hotdog and dogs", "dogs"),
        (("home", "granny"), "the home of my granny", "home of my granny"),
        (("dog", "cat"), "a dog that chases the cat", ""),
        (("dog", "cat"), "a dog, cat", ""),
        ((), "a dog", ""),
    ],
)
def test_words_as_they_were_written(words: tuple[str, ...], text: str, written: str) -> None:
    assert as_written(words, text) == written


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Zha'keth", ("zhaketh",)),
        ("syl\u2019vara's bow", ("sylvara", "bow")),
        ("O'Brien", ("o'brien",)),
        ("nan's_kitchen", ("nan", "kitchen")),
    ],
)
def test_an_apostrophe_inside_a_name_is_left_out(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words
    assert stems(name.replace("_", " ")) == words


def test_other_apostrophes_stay() -> None:
    assert stems("don't, we're, rock'n'roll, aujourd'hui") == (
        "don't",
        "we're",
        "rock'n'roll",
        "aujourdhui",
    )
