"""Where a request names a model: by its subject, trigger or file name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..catalog.cards import Card
from ..catalog.file_names import read_file_name
from ..lexicon import MODEL_WORDS, PICTURE_WORDS, PLACES, STYLES
from ..lexicon.spelling import split
from .intent import Intent
from .origins import Span
from .rewrite import named_spans, rewrite


def naming_spans(request: str, intent: Intent, cards: Sequence[Card]) -> list[Span]:
    """Where a chosen model, or its subject, is named."""
    found = []
    for card in cards:
        found += [edit[:2] for edit in rewrite(request, card).edits if edit[1] > edit[0]]
        found += called_at(request, intent, card)
        for trigger in card.triggers:
            found += named_spans(request, trigger)
    return found


def called_at(request: str, intent: Intent, card: Card) -> list[Span]:
    """Where the request calls a model by its file name, or by what all its builds are called.

    Names of looks ("watercolour_v2"), which are words of the picture too, do not count.
    """
    names = [one for one in intent.said if one.what == "name"]
    own = [_with_ending(request, one.start, one.end) for one in names if card.id in one.cards]
    if own:
        return [
            (start, end)
            for start, end in own
            if re.search(r"[_\d]", request[start:end]) or not _is_look(request, start, end)
        ]
    words = split(request)
    called = read_file_name(card.name).words
    size = len(called)
    found = []
    for at in range(len(words) - size + 1 if called else 0):
        group = words[at : at + size]
        span = (group[0].start, group[-1].end)
        same = called in (tuple(word.stem for word in group), read_file_name(group[0].text).words)
        if same and not re.search(r"[^\s_'-]", request[group[0].end : group[-1].start]):
            around = [one for one in names if one.start <= span[0] and span[1] <= one.end]
            found += [(one.start, one.end) for one in around] or [span]
    of_a_look = card.styles or re.search(r"style|look|art\b", f"{card.name} {card.trigger}".lower())
    return [] if of_a_look else [span for span in found if not _is_look(request, *span)]


def _with_ending(request: str, start: int, end: int) -> Span:
    ending = re.match(r"\.(?:safetensors|ckpt|pt|gguf)\b", request[end:])
    return start, end + (ending.end() if ending else 0)


def _is_look(request: str, start: int, end: int) -> bool:
    stems = [(word.stem,) for word in split(request[start:end])]
    after = re.match(r"\s+(\w+)", request[end:])
    return bool(after and after[1].lower() in PICTURE_WORDS - MODEL_WORDS) or any(
        stem in STYLES or stem in PLACES or stem[0] in PICTURE_WORDS for stem in stems
    )
