"""English words for subjects: their synonyms, and what is a kind of what (en/things.txt)."""

from __future__ import annotations

from pathlib import Path

from .spelling import stems

Phrase = tuple[str, ...]


def _read(
    lines: list[str],
) -> tuple[
    dict[Phrase, tuple[Phrase, ...]],
    dict[Phrase, frozenset[Phrase]],
    dict[Phrase, frozenset[Phrase]],
]:
    """Read an indented list of subjects.

    Returns (phrase -> the subjects that it names, subject -> all that it is a kind of, at any
    height, subject -> what it is called as a fallback).
    """
    named: dict[Phrase, dict[Phrase, None]] = {}
    parents: dict[Phrase, set[Phrase]] = {}
    fallbacks: dict[Phrase, set[Phrase]] = {}
    above: list[tuple[bool, Phrase]] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        name, _, synonyms = line.strip().partition(" = ")
        subject = stems(name)
        above[depth:] = [(name.startswith("?"), subject)]
        parents.setdefault(subject, set()).update(one for loose, one in above[:depth] if not loose)
        fallbacks.setdefault(subject, set()).update(one for loose, one in above[:depth] if loose)
        for phrase in (subject, *map(stems, filter(None, synonyms.split(", ")))):
            named.setdefault(phrase, {})[subject] = None
    return (
        {phrase: tuple(subjects) for phrase, subjects in named.items()},
        {subject: frozenset(found) for subject, found in parents.items()},
        {subject: frozenset(found) for subject, found in fallbacks.items()},
    )


SUBJECTS, HYPERNYMS, FALLBACK_HYPERNYMS = _read(
    (Path(__file__).parent / "en" / "things.txt").read_text("utf-8").splitlines()
)
"""Three tables, in singulars.

SUBJECTS: phrase -> the subjects that it names. HYPERNYMS: subject -> the subjects that it is a kind
of ("corgi": dog, pet, animal, ...). FALLBACK_HYPERNYMS: subject -> what it is called only if
nothing else is called so: a house is a building if nothing else is called a building.
"""


def with_hypernyms(phrase: Phrase) -> frozenset[Phrase]:
    """The subjects that a phrase names, and all that these are kinds of.

    Empty for an unknown phrase.
    """
    named = SUBJECTS.get(phrase, ())
    return frozenset(named).union(*(HYPERNYMS[subject] for subject in named))


def is_being(phrase: Phrase) -> bool:
    """Whether a phrase is a word for a person or an animal."""
    return ("being",) in with_hypernyms(phrase)
