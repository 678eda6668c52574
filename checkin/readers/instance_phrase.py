"""The phrase that stood for a subject in training ("a photo of sks dog").

It gives the trigger, and what the subject is.
"""

from __future__ import annotations

import re

from ..lexicon.spelling import stems
from ..lexicon.text import printable

_FRAME = re.compile(
    r"^(?:an? |the )?(?:photo|photograph|picture|image|portrait|painting|drawing|rendering)s? of "
    r"(?:an? |the )?",
    re.I,
)


def trigger_of(phrase: object) -> str | None:
    """The phrase without words that only ask for a picture.

    It is "sks dog" for "a photo of sks dog".
    """
    if not isinstance(phrase, str):
        return None
    return _FRAME.sub("", printable(phrase).rstrip(".")) or None


def subject_of(trigger: str) -> str | None:
    """What the words after the first one name: "dog" for "sks dog".

    A single word is only a name, and words in parentheses, as in "saber (fate)", only say which one
    is meant: None for both.
    """
    subject = trigger.partition(" ")[2]
    return subject if stems(subject) and not subject.startswith("(") else None
