"""Test what notes in other languages speak of."""

from __future__ import annotations

import pytest

from personalq.checkin.lexicon.notes import relatives_in, things_in


@pytest.mark.parametrize(
    ("note", "things"),
    [
        ("ピノ オカメインコ", ("cockatiel",)),
        ("息子 春樹 4歳 trigger: haruki", ("son",)),
        ("嫁(由香) z-image turbo用", ("wife",)),
        ("猫の毛布", ("cat", "blanket")),
        ("奶奶 0.8-0.9", ("grandma",)),
        ("고양이", ("cat",)),
        ("a note in English", ()),
        ("meine Schwester. trigger jnnpz frau", ("sister", "woman")),
        ("ma copine, 20 photos", ("girlfriend",)),
        ("Macarena mi hija. fuerza 0.9", ("daughter",)),
        ("my gf meg, new set, no frieren", ()),
    ],
)
def test_things_that_are_words_of_their_own(note: str, things: tuple[str, ...]) -> None:
    assert things_in(note) == things


@pytest.mark.parametrize(
    ("note", "relatives"),
    [
        ("my sister janine, 20 pics", {"sister"}),
        ("my gf meg, new set", {"girlfriend"}),
        ("meine Schwester. trigger jnnpz", {"sister", "schwester"}),
        ("ma copine, photos de 2025", {"girlfriend"}),
        ("Macarena mi hija", {"daughter", "hija"}),
        ("maman, trigger agnsm", {"maman"}),
        ("Oma", {"oma"}),
        ("mother of pearl", set()),
        ("my sister's cat", set()),
        ("my style, as my wife likes it", set()),
    ],
)
def test_of_whom_a_note_says_that_it_is(note: str, relatives: set[str]) -> None:
    assert relatives_in(note) == relatives
