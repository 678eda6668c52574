"""A description from the captions that a model was trained on, without any language model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..lexicon import PICTURE_WORDS, STYLES, SUBJECTS
from ..lexicon.spelling import is_english, joined, stems
from .evidence import Evidence

_ALWAYS = 0.95
"""A caption with a made-up word is the trigger if its share is at least this."""
_OFTEN = 0.5
"""The least share of the training pictures for a subject or a style."""
_SOMETIMES = 0.2
_MAX_SUBJECTS = 8
"""The most further tags in a description."""
_CLUTTER = re.compile(
    r"\d*(?:girl|boy|other)s?|solo|looking at viewer|no "
    r"humans|.*\bbackground|(?:best|high|worst|low) quality|"
    r"masterpiece|highres|absurdres|rating.*|score.*|signature|watermark|text|cowboy shot|upper "
    r"body|full body|[\W\d_]*"
)


@dataclass(frozen=True)
class Described:
    """What a model draws: one or two sentences, and its subjects and styles.

    Subjects and styles are empty where they cannot be told.
    """

    description: str
    subjects: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


def from_tags(evidence: Evidence) -> Described | None:
    """Describe a model by what its training pictures share; None if captions do not tell.

    Subjects and styles are those of most pictures; further tags are those of many pictures. The
    trigger is in every caption and says nothing, so it is left out.
    """
    triggers = {stems(trigger) for trigger in evidence.card.triggers}
    tags = [
        (tag, share) for tag, share in evidence.tags if stems(tag) and stems(tag) not in triggers
    ]
    tags = [
        (tag, share) for tag, share in tags if share < _ALWAYS or all(map(is_english, stems(tag)))
    ]
    if not tags:
        return None
    subjects = _named(tags, set(SUBJECTS))
    styles = _named(tags, set(STYLES) - {(word,) for word in PICTURE_WORDS})
    known = {stems(word) for word in (*subjects, *styles)}
    details = [
        tag
        for tag, share in tags
        if share >= _SOMETIMES
        and stems(tag) not in known
        and not _CLUTTER.fullmatch(tag.casefold())
    ]
    if not subjects and not styles and not details:
        return None
    what = " ".join([*styles[:2], subjects[0] if subjects else "pictures"])
    seen = f": {joined(details[:_MAX_SUBJECTS], 'and')}" if details else ""
    return Described(f"{what.capitalize()}{seen}.", tuple(subjects[:4]), tuple(styles[:4]))


def _named(tags: list[tuple[str, float]], phrases: set[tuple[str, ...]]) -> list[str]:
    """The phrases in the captions of at least half of the pictures, most frequent first."""
    shares: dict[tuple[str, ...], float] = {}
    for tag, share in tags:
        words = stems(tag)
        spans = {
            words[at : at + length] for length in (1, 2, 3) for at in range(len(words) - length + 1)
        }
        for phrase in spans & phrases:
            shares[phrase] = shares.get(phrase, 0) + share
    often = sorted(
        (phrase for phrase, share in shares.items() if share >= _OFTEN),
        key=lambda one: (-shares[one], one),
    )
    whole = [
        one for one in often if not any(one != other and set(one) < set(other) for other in often)
    ]
    return [" ".join(phrase) for phrase in whole]
