"""Test what a prompt says of each of its subjects."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from personalq.checkin.language.beside import are_linked, own_texts

_FILE = Path(__file__).with_name("beside_prompts.txt")


def _prompts() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in _FILE.read_text("utf-8").splitlines():
        if line.startswith("  "):
            found[-1][1].append(line.strip())
        elif line and not line.startswith("#"):
            found.append((line, []))
    return found


@pytest.mark.parametrize(("written", "expected"), _prompts())
def test_each_subject_has_its_own_words_and_those_of_the_whole_picture(written, expected) -> None:
    of_all = re.findall(r"\[(.+?)\]", written)
    prompt = re.sub(r"[][]", "", written)
    spans: dict[str, list[tuple[int, int]]] = {}
    for name in re.finditer(r"\b[A-Z]{3,}\b", prompt):
        spans.setdefault(name[0], []).append(name.span())
    own = own_texts(
        prompt,
        [places[0] for places in spans.values()],
        [places[1:] for places in spans.values()],
        [(prompt.index(one), prompt.index(one) + len(one)) for one in of_all],
    )
    assert [one.text for one in sorted(own, key=lambda one: one.rank)] == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("PIP next to JUNO", True),
        ("PIP, JUNO", True),
        ("PIP in my JUNO", False),
        ("PIP holding the JUNO", False),
        ("PIP with a JUNO", False),
    ],
)
def test_subjects_are_linked_by_words_that_put_them_side_by_side(prompt, expected) -> None:
    first, second = (found.span() for found in re.finditer("[A-Z]{4}|PIP", prompt))
    assert are_linked(prompt, first, second) is expected
