"""Test the data of English: a word is once in a group, and in no two that disagree."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from personalq.checkin.lexicon import STYLES, english
from personalq.checkin.lexicon.data import phrases_in
from personalq.checkin.lexicon.english import phrases, rows
from personalq.checkin.lexicon.languages import EXAMPLES
from personalq.checkin.lexicon.spelling import stems
from personalq.tests.checkin.unique_keys import Unique

FILES = [path for path in sorted(english.FOLDER.glob("*.yaml")) if path.name != EXAMPLES]
CODE = "\n".join(
    path.read_text("utf-8") for path in sorted(english.FOLDER.parents[1].rglob("*.py"))
)
OF_TWO = {("crayon",)}
"""Words for two styles."""


def groups(file: Path) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(names that lead to it, value) of each group without groups of its own."""

    def inside(names: tuple[str, ...], group: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
        if isinstance(group, dict) and names[-1:] != ("holidays",):
            for name, value in group.items():
                yield from inside((*names, name), value)
        else:
            yield names, group

    yield from inside((), english.table(file.stem))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_no_group_and_no_word_of_a_group_is_there_twice(file: Path) -> None:
    with file.open(encoding="utf-8") as text:
        yaml.load(text, Loader=Unique)
    for names, value in groups(file):
        if isinstance(value, str):
            found = phrases_in(value)
            assert len(found) == len(set(found)), (names, sorted(found))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_words_are_in_lower_case_and_have_one_space_between_them(file: Path) -> None:
    for names, value in groups(file):
        for phrase in phrases_in(value) if isinstance(value, str) else ():
            assert phrase == phrase.lower(), (names, phrase)
    text = file.read_text("utf-8")
    assert "\t" not in text
    assert ",," not in text.replace(" ", "")


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_each_group_is_read_by_the_code(file: Path) -> None:
    unread = [
        name
        for name in english.table(file.stem)
        if f'"{name}"' not in CODE and f"'{name}'" not in CODE
    ]
    assert not unread


APART = (
    ("orders", ("newest",), ("oldest",)),
    ("orders", ("highest",), ("lowest",)),
    ("orders", ("than", "above"), ("than", "below")),
    ("orders", ("or later",), ("or earlier",)),
    ("orders", ("beyond",), ("short of",)),
    ("orders", ("just before",), ("just after",)),
    ("orders", ("earlier of two",), ("later of two",)),
    ("orders", ("second newest",), ("third newest",)),
    ("orders", ("new",), ("previous",), ("first",), ("last",)),
    ("models", ("kinds", "checkpoint"), ("kinds", "lora"), ("other kinds",)),
    ("models", ("mine",), ("not mine",)),
    ("models", ("before build",), ("after build",)),
    ("models", ("failed",), ("early",)),
    ("times", ("before",), ("after",), ("around",), ("since",), ("until",)),
    ("times", ("which", "before"), ("which", "now"), ("which", "after")),
    ("times", ("ages", "older than"), ("ages", "newer than")),
    ("times", ("ages", "more than"), ("ages", "less than")),
    ("times", ("months",), ("weekdays",), ("seasons",)),
    ("times", ("left of times",), ("maybe left of times",), ("left of scenery",)),
    ("words", ("negations",), ("praise",), ("function", "postures")),
    ("words", ("function", "prepositions"), ("function", "conjunctions")),
    ("words", ("before me", "verbs"), ("before me", "prepositions")),
    ("words", ("picture words",), ("negations",)),
    ("words", ("optics",), ("praise",)),
    ("choosing", ("thanks",), ("greetings",), ("please",)),
    ("choosing", ("joins",), ("loose",)),
)


@pytest.mark.parametrize(("file", "lists"), [(file, lists) for file, *lists in APART])
def test_a_word_is_in_no_two_groups_that_disagree(file: str, lists: list[tuple[str, ...]]) -> None:
    for one, other in itertools.combinations(lists, 2):
        assert not set(phrases(file, *one)) & set(phrases(file, *other)), (one, other)


@pytest.mark.parametrize(
    ("file", "part", "whole"),
    [
        ("words", ("scaffold",), ("picture words",)),
        ("words", ("same zone",), ("function",)),
        ("words", ("determiners",), ("function",)),
        ("times", ("certain time words",), ("time words",)),
        ("times", ("vague time words",), ("time words",)),
        ("choosing", ("files",), ("models",)),
        ("choosing", ("after a name",), ("models",)),
        ("orders", ("counted oldest",), ("oldest",)),
        ("orders", ("counted highest",), ("highest",)),
        ("orders", ("counted lowest",), ("lowest",)),
    ],
)
def test_a_group_is_part_of_another(
    file: str, part: tuple[str, ...], whole: tuple[str, ...]
) -> None:
    assert set(phrases(file, *part)) <= set(phrases(file, *whole))


def test_moods_weak_styles_and_related_ones_are_styles() -> None:
    related = [one for row in english.table("styles")["related"] for one in phrases_in(row)]
    for style in (*phrases("styles", "moods"), *phrases("styles", "weak"), *related):
        assert stems(style) in STYLES, style


@pytest.mark.parametrize("file", ["styles", "places"])
def test_a_synonym_names_one_style_or_place(file: str) -> None:
    found: dict[tuple[str, ...], str] = {}
    for name, others in rows(file, file).items():
        for phrase in dict.fromkeys(map(stems, (name, *others))):
            assert found.setdefault(phrase, name) == name or phrase in OF_TWO, phrase


def test_a_holiday_has_one_name_and_the_calendar_has_twelve_months() -> None:
    named = [
        name
        for about in english.table("times")["holidays"].values()
        for name in phrases_in(about["names"])
    ]
    assert len(named) == len(set(named))
    assert len(rows("times", "months")) == 12
    assert len(rows("times", "weekdays")) == 7
    assert len(phrases("numbers", "ordinals")) == 31
