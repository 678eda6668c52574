"""Test the words of other languages for what people name files by."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin.lexicon.abroad import abroad, looks_in, words_of
from personalq.checkin.lexicon.data import phrases_in, read
from personalq.checkin.lexicon.english import FOLDER

LOOKS = sorted((FOLDER.parent / "looks").glob("*.yaml"))
TABLES = sorted((FOLDER.parent / "names").glob("*.yaml"))


@pytest.mark.parametrize(
    ("english", "word"),
    [
        (("mug",), "caneca"),  # of "canecas"
        (("cat",), "kat"),
        (("christmas", "tree"), "kerstboom"),
        (("village",), "koy"),  # köy
        (("village",), "koey"),
        (("apple",), "jablko"),
        (("tree",), "baum"),
        (("barn",), "stodola"),
        (("rocking", "chair"), "fotel bujany"),
        (("bear",), "medved"),  # медведь
    ],
)
def test_a_word_as_it_stands_in_names(english: tuple[str, ...], word: str) -> None:
    assert tuple(word.split()) in {words for _, words in abroad(english)}


def test_the_words_of_a_language() -> None:
    assert {"caneca", "gato"} <= words_of("pt")
    assert not {"caneca", "mug"} & words_of("pl")


def test_an_unknown_thing_has_none() -> None:
    assert abroad(("juggernaut",)) == frozenset()


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_a_word_means_one_thing_in_a_language(path: Path) -> None:
    words = [word for line in read(path).values() for word in phrases_in(line)]
    assert len(words) == len(set(words)) > 2000
    assert not [word for word in words if len(word) < 2]


@pytest.mark.parametrize("path", LOOKS, ids=lambda path: path.stem)
def test_a_word_means_one_look_in_a_language(path: Path) -> None:
    words = [word for line in read(path).values() for word in phrases_in(line)]
    assert len(words) == len(set(words)) > 120


def test_looks_in_names() -> None:
    assert looks_in(("linosnitt", "drevoryt", "lana")) == (("linocut",), ("woodcut",))
    assert looks_in(("jana", "aquarell", "linolschnitt")) == (("watercolor",), ("linocut",))
    assert looks_in(("watercolor", "crayon", "moss")) == ()
