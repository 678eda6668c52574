"""Tags sorted into styles and subjects."""

from __future__ import annotations

from ..lexicon import STYLES
from ..lexicon.spelling import stems
from .text import texts_in


def sort_tags(said: object, title: str) -> tuple[list[str], list[str]]:
    """(subjects, styles) among free tags, one text or a list of texts.

    A tag is a style if the lexicon knows it as one. It is a subject only if the model's title
    repeats it: tags also name moods, franchises and site categories, and a false subject would make
    the rewriter replace a wrong word.
    """
    words = f" {' '.join(stems(title))} "
    tags = texts_in(said)
    styles = [tag for tag in tags if stems(tag) in STYLES]
    subjects = [
        tag
        for tag in tags
        if tag not in styles and stems(tag) and f" {' '.join(stems(tag))} " in words
    ]
    return subjects, styles
