"""The thing that a request asks for, where no card is one."""

from __future__ import annotations

import itertools
import re

from ..catalog.subject_key import only_names
from ..catalog.vocabulary import Vocabulary
from ..lexicon import ORDINALS, PLACES, PRAISE, SUBJECTS, TEMPORAL, with_hypernyms
from ..lexicon.spelling import is_english
from .phrases import Mention, run_after

# A thing on one of these is still that thing.
_MEDIA = {
    ("icon",),
    ("sticker",),
    ("poster",),
    ("tattoo",),
    ("pattern",),
    ("statue",),
    ("figurine",),
}
_NOT_NOUN = re.compile(r"(?:ing|ed|ly|ful|ous|ive|ish|able|less|est|ic)$")


def missing_thing(
    mentions: list[Mention], head: Mention | None, used: set[int], vocabulary: Vocabulary
) -> str | None:
    """The thing asked for, when it is a common noun that no card has as a subject."""
    if head:
        behind = run_after(
            mentions, next(index for index, m in enumerate(mentions) if m.last >= head.last)
        )[:1]
        named = only_names(head.subject)
        before = next((m for m in mentions if m.last == head.first - 1), None)
        if before and not head.after_punctuation and not named and _is_no(before, vocabulary):
            return f"{before.words} {head.words}"
        if behind and not named and behind[0].kind == "word" and _other_thing(behind[0]):
            return f"{head.words} {behind[0].words}"
    if head and (not head.is_scene or head.possessive):
        return None
    for position, mention in enumerate(mentions):
        if mention.is_scene or mention.kind != "word" or mention.first in used:
            continue
        run = [
            mention,
            *itertools.takewhile(lambda m: not m.is_scene, run_after(mentions, position)),
        ]
        nouns = [m for m in run if m.kind == "word" and m.first not in used]
        last = nouns[-1]
        known = last.phrase in SUBJECTS or all(is_english(m.words) for m in nouns)
        plain_word = last.phrase[0] in TEMPORAL | ORDINALS | PRAISE or last.phrase in PLACES
        if (
            not known
            or plain_word
            or (last.phrase not in SUBJECTS and _NOT_NOUN.search(last.words))
        ):
            return None
        return " ".join(m.words for m in nouns) if head is None or mention.possessive else None
    return None


def _is_no(mention: Mention, vocabulary: Vocabulary) -> bool:
    """Whether a word before a thing makes it one that is not here: an elf miniature, where no card
    speaks of an elf.
    """
    thing = mention.kind == "word" and mention.phrase in SUBJECTS and not mention.is_scene
    return thing and not any(vocabulary.says(word) for word in mention.phrase)


def _other_thing(mention: Mention) -> bool:
    """Whether a noun makes another thing of the subject before it: a mountain bike is none, a bear
    face is a bear.
    """
    named = with_hypernyms(mention.phrase)
    return bool(named) and not {("person",), ("toy",), ("drawing",), ("painting",), *_MEDIA} & named
