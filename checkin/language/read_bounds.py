"""The bounds of a request, each with what it says of the models that bound."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..catalog.vocabulary import Vocabulary
from .bounds import find_bounds
from .intent import Bound, Intent, Said
from .model_phrases import THAT
from .used import Used


def read_bounds(
    request: str,
    vocabulary: Vocabulary,
    is_time: Callable[[str], bool],
    parse: Callable[[str], Intent],
) -> tuple[tuple[Bound, ...], list[Said], str]:
    """The bounds of a request, where they stand, and the request with their words blanked.

    `parse` reads what is said of a model that bounds; "that" is the one that was used last.
    """
    bounds, said, text = [], [], request
    for found in find_bounds(request, vocabulary, is_time):
        start, end = found.start, found.end
        others = tuple(
            Intent(one, used=Used()) if one == THAT else parse(one) for one in found.phrases
        )
        words = re.sub(r"\s+", " ", request[start:end])
        bounds.append(Bound(words, found.side, others, found.nearest))
        said.append(Said(start, end, "bound"))
        text = text[:start] + " " * (end - start) + text[end:]
    return tuple(bounds), said, text
