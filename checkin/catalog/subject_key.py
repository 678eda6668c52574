"""Subject keys: the phrases by which a card can be asked for, and how each of them matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ..lexicon import FALLBACK_HYPERNYMS, SUBJECTS, Phrase, with_hypernyms


class Match(StrEnum):
    """How a phrase of a request matches a card's subject."""

    KIND = "kind"
    """The phrase is the subject, or what that is a kind of: "corgi" and "dog" for a corgi."""
    EXACT = "exact"
    """The phrase may be narrower than the card's own, narrowest word.

    A "poodle" may be a card that says only "dog".
    """
    FALLBACK = "fallback"
    """The phrase counts only where no card is called so directly: "building" for a house."""
    NAME = "name"
    """The phrase is a name and says nothing about the kind: "biscuit" for a dog of that name."""


@dataclass(frozen=True, slots=True)
class SubjectKey:
    """One phrase by which a card can be asked for."""

    phrase: Phrase
    match: Match = Match.KIND


def subject_keys(phrases: Iterable[Phrase], match: Match = Match.KIND) -> set[SubjectKey]:
    """A key for each phrase."""
    return {SubjectKey(phrase, match) for phrase in phrases}


def kind_keys(phrase: Phrase) -> set[SubjectKey]:
    """The keys of what a phrase names and of all that this is a kind of, with fallbacks.

    Empty for a phrase that is not in the taxonomy.
    """
    named = SUBJECTS.get(phrase, ())
    fallbacks = {kind for subject in named for kind in FALLBACK_HYPERNYMS[subject]}
    return subject_keys(with_hypernyms(phrase)) | subject_keys(fallbacks, Match.FALLBACK)


def only_names(keys: Iterable[SubjectKey]) -> bool:
    """Whether all keys are names, so that they do not say what the subject is."""
    return all(key.match is Match.NAME for key in keys)
