"""Where a request names a model: by its subject, trigger or file name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from ..catalog.cards import Card
from ..catalog.file_names import read_file_name
from ..lexicon import MODEL_WORDS, PICTURE_WORDS, PLACES, STYLES
from ..lexicon.english import any_of
from ..lexicon.spelling import Word, closest, split
from .intent import Intent
from .origins import Span
from .rewrite import named_spans, rewrite
from .subject_nouns import stands_free

_A_PICTURE = re.compile(rf"\s+(?:an?|some)\s+(?:\w+\s+)?{any_of(PICTURE_WORDS)}\b", re.IGNORECASE)


@dataclass(frozen=True)
class Called:
    """By which words a request calls a model."""

    words: tuple[str, ...]
    """They stand side by side."""
    only_chooses: bool = False
    """Whether nothing of them is to be drawn: a checkpoint's name."""


FILE_ENDING = r"\.(?:safetensors|ckpt|pt|gguf)\b"
Names = Mapping[str, Called]
"""Id of a card -> how the request calls it."""


def naming_spans(
    request: str, intent: Intent, cards: Sequence[Card], names: Names = MappingProxyType({})
) -> list[Span]:
    """Where a chosen model, or its subject, is named."""
    found = []
    for card in cards:
        found += words_at(request, names.get(card.id))
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
    file = re.compile(rf"(?<![\w.-]){re.escape(card.name)}{FILE_ENDING}", re.IGNORECASE)
    own += [match.span() for match in file.finditer(request) if match.span() not in own]
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
    found = [span for span in found if not _is_given(request, span)]
    return [] if of_a_look else [span for span in found if not _is_look(request, *span)]


def words_at(request: str, called: Called | None) -> list[Span]:
    """Where the words stand by which a request calls a model, or the same mistyped."""
    said, there = called.words if called else (), split(request)
    for same in (_are, _are_glued, _are_nearly):
        found = [
            (there[at].start, there[end - 1].end)
            for at in range(len(there))
            for end in range(at + len(said), min(at + len(said) + 2, len(there)) + 1)
            if said and same(there[at:end], said) and _stand_together(request, there[at:end])
        ]
        if found:
            return [one for one in found if not _is_given(request, one)]
    return []


def _is_given(request: str, span: Span) -> bool:
    """Whether "me" is who gets the picture: "make me a pic of me"."""
    is_me = request[slice(*span)].casefold() == "me"
    return is_me and _A_PICTURE.match(request, span[1]) is not None


def _are(group: Sequence[Word], said: Sequence[str]) -> bool:
    return len(group) == len(said) and all(map(_is, group, said))


def _are_glued(group: Sequence[Word], said: Sequence[str]) -> bool:
    """Whether they are the same words without spaces: "4 step" and "4step"."""
    return "".join(word.text for word in group) == "".join(said)


def _are_nearly(group: Sequence[Word], said: Sequence[str]) -> bool:
    return len(group) == len(said) and all(
        _is(word, one) or closest(word.text, (one,)) or closest(word.stem, (one,))
        for word, one in zip(group, said, strict=True)
    )


def _stand_together(request: str, group: Sequence[Word]) -> bool:
    gaps = (request[one.end : other.start] for one, other in pairwise(group))
    free = stands_free(request, group[0].start, group[-1].end)
    return free and not any(re.search(r"[^\s_'&+-]", gap) for gap in gaps)


def _is(word: Word, said: str) -> bool:
    return said in (word.text, word.stem) or (said, word.text) == ("myself", "me")


def _with_ending(request: str, start: int, end: int) -> Span:
    ending = re.match(FILE_ENDING, request[end:])
    return start, end + (ending.end() if ending else 0)


def _is_look(request: str, start: int, end: int) -> bool:
    stems = [(word.stem,) for word in split(request[start:end])]
    after = re.match(r"\s+(\w+)", request[end:])
    return bool(after and after[1].lower() in PICTURE_WORDS - MODEL_WORDS) or any(
        stem in STYLES or stem in PLACES or stem[0] in PICTURE_WORDS for stem in stems
    )
