"""Test that all sentences are there in all languages, and how they are said."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from personalq.checkin.lexicon.languages import FOLDER, SENTENCES
from personalq.checkin.lexicon.sentences import (
    again,
    day_of,
    languages,
    listed,
    month_of,
    nearest,
    say,
    say_number,
    sentences,
    speaking,
    spoken,
)
from personalq.tests.test_locales import LANGUAGES

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("checkin", "nodes", "cli", "doctor", "serve")
SAY = {"say", "sentence", "say_number"}
PLACE = re.compile(r"(?<!\{)\{(\w+)[^{}]*\}(?!\})")
OTHERS = [one for one in languages() if one != "en"]
DAY = date(2026, 9, 12)


def calls(room: str) -> Iterator[tuple[Path, ast.Call]]:
    """(file, call) of all sentences that the code of a room says."""
    for file in sorted((ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in SAY
            ):
                yield file, node


CALLS = [one for room in ROOMS for one in calls(room)]
SAID = [
    (file, one.value)
    for file, call in CALLS
    for one in call.args
    if isinstance(one, ast.Constant) and isinstance(one.value, str)
]
ALL = {sentence for _, sentence in SAID}


def test_the_languages_are_those_of_the_canvas():
    assert sorted(languages()) == sorted(LANGUAGES)
    assert len(ALL) > 300


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_is_there_and_nothing_else(language: str) -> None:
    there = sentences(language)
    assert [f"{file.name}: {one}" for file, one in SAID if one not in there] == []
    assert sorted(there.keys() - ALL) == []


@pytest.mark.parametrize("language", OTHERS)
def test_translations_have_the_places_of_the_sentence(language: str) -> None:
    for sentence, translation in sentences(language).items():
        assert sorted(PLACE.findall(translation)) == sorted(PLACE.findall(sentence)), sentence
        assert translation.strip(), sentence
        translation.format(**dict.fromkeys(PLACE.findall(sentence), 1))


@pytest.mark.parametrize("language", OTHERS)
def test_sentences_are_translated(language: str) -> None:
    """Some words are the same in two languages, no sentence is."""
    same = [one for one, other in sentences(language).items() if one == other]
    assert [one for one in same if len(PLACE.sub("", one).split()) > 2] == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_is_there_twice(language: str) -> None:
    lines = (FOLDER / language / SENTENCES).read_text("utf-8").splitlines()
    keys = [line.partition('": ')[0] for line in lines]
    assert len(keys) == len(set(keys))


def test_sentences_are_said_whole() -> None:
    """A sentence that is put together before it is said has no translation."""
    for file, call in CALLS:
        assert not any(isinstance(one, ast.JoinedStr | ast.BinOp) for one in call.args), file


@pytest.mark.parametrize(
    ("language", "day", "month", "items"),
    [
        ("en", "12 September 2026", "September 2026", "a, b or c"),
        ("de", "12. September 2026", "September 2026", "a, b oder c"),
        ("fr", "12 septembre 2026", "septembre 2026", "a, b ou c"),
        ("es", "12 de septiembre de 2026", "septiembre de 2026", "a, b o c"),
        ("ko", "2026년 9월 12일", "2026년 9월", "a, b 또는 c"),
        ("zh", "2026年9月12日", "2026年9月", "a、b或c"),
        ("ja", "2026年9月12日", "2026年9月", "a、bまたはc"),
    ],
)
def test_days_and_lists(language: str, day: str, month: str, items: str) -> None:
    with speaking(language):
        assert (day_of(DAY), month_of(DAY), listed("abc")) == (day, month, items)
        assert (listed("a"), listed("")) == ("a", "")


def test_the_first_day_of_a_month_in_french() -> None:
    with speaking("fr"):
        assert day_of(date(2026, 6, 1)) == "1er juin 2026"


def test_one_and_many() -> None:
    one, many = "{names} is off: {name} draws alone.", "{names} are off: {name} draws alone."
    with speaking("de"):
        assert say_number(1, one, many, names="a", name="b") == "a ist aus: b zeichnet allein."
        assert say_number(2, one, many, names="a", name="b") == "a sind aus: b zeichnet allein."


def test_what_stands_in_a_place_is_no_template() -> None:
    with speaking("de"):
        assert say("You answered '{answer}'.", answer="{x}") == "Du hast „{x}“ geantwortet."


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("de", "de"),
        ("de-AT,de;q=0.9", "de"),
        ("zh-TW", "zh"),
        ("ru", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_the_nearest_language(asked: str | None, language: str) -> None:
    assert nearest(asked) == language


def test_a_language_ends_with_its_block_and_in_its_thread() -> None:
    heard = []
    with speaking("de"), speaking("ko"):
        thread = threading.Thread(target=lambda: heard.append(spoken()))
        thread.start()
        thread.join()
        assert spoken() == "ko"
    assert (spoken(), heard) == ("en", ["en"])


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (
            "old/bear.ckpt: left out: a pickle, never opened because it can run code; convert it "
            "to safetensors",
            "old/bear.ckpt: ausgelassen: ein Pickle, das nie geöffnet wird, weil es Code ausführen "
            "kann; wandle es in safetensors um",
        ),
        (
            "bear.safetensors: left out: not a safetensors file: it has only 3 bytes; copy or "
            "download it again",
            "bear.safetensors: ausgelassen: keine safetensors-Datei: Sie hat nur 3 Bytes; kopiere "
            "sie neu oder lade sie neu herunter",
        ),
        (
            "trigger '<lora:x:1>' dropped: it would load another model",
            "Trigger '<lora:x:1>' entfällt: er würde ein anderes Modell laden",
        ),
        (
            "expected a JSON object ({...}); not read",
            "erwartet wird ein JSON-Objekt ({...}); nicht gelesen",
        ),
        ("words of somebody else: yes", "words of somebody else: yes"),
    ],
)
def test_stored_texts_are_said_again(stored: str, shown: str) -> None:
    assert again(stored) == stored
    with speaking("de"):
        assert again(stored) == shown
