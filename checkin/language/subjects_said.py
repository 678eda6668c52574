"""Where a request in another language names a subject that a card has in English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..catalog.vocabulary import Vocabulary
from ..lexicon.languages import ENGLISH
from ..lexicon.spelling import stems
from .gloss import detect, gloss


def subjects_said(request: str, subjects: Sequence[str], vocabulary: Vocabulary) -> dict[str, str]:
    """{word of the request: the subject that it says}: {"chien": "dog"} for "un chien", {"dog"}.

    Empty for a request in English or in a language that is not understood.
    """
    language = detect(request, vocabulary)
    if language is ENGLISH or not language.known:
        return {}
    said = gloss(request, language, vocabulary)
    wanted = {stems(one): one for one in subjects}
    words = re.finditer(r"\w+", said.text)
    found = ((one, said.said(*one.span())) for one in words if stems(one[0]) in wanted)
    return {request[slice(*span)]: wanted[stems(one[0])] for one, span in found if span}
