"""The phrase that stood for a subject in training ("a photo of sks dog"): its trigger, and what the
subject is.
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
    """The phrase without the words that only say that a picture is wanted: "sks dog" for "a photo
    of sks dog".
    """
    if not isinstance(phrase, str):
        return None
    return _FRAME.sub("", printable(phrase).rstrip(".")) or None


def subject_of(trigger: str) -> str | None:
    """What the words after the rare one name: "dog" for "sks dog".

    A single word names nothing but itself, and what stands in parentheses, as in "saber (fate)",
    says which one it is.
    """
    subject = trigger.partition(" ")[2]
    return subject if stems(subject) and not subject.startswith("(") else None
