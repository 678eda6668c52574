"""The rewriter: puts the card's canonical trigger into a text.

It replaces every noun that names the card's subject.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..catalog.card_facts import subjects_of
from ..catalog.cards import Card
from ..lexicon import FUNCTION, HYPERNYMS, MODEL_WORDS, STYLES, SUBJECTS, TEMPORAL, Phrase
from ..lexicon.spelling import (
    closest,
    is_english,
    name_words,
    plain,
    singular,
    split,
    stems,
)
from ..readers.trigger_words import is_generic
from .times.periods import MONTHS
from .trigger_prompt import escaped, mentions, reads_as_weight

# Tags of other loaders, embeddings and weights: nothing in them may change.
PROTECTED = re.compile(r"<[^<>]*>|embedding:[^\s,()]+|:\s*[+-]?\d*\.?\d+\s*(?=\))")
_CAPITAL = re.compile(r"[A-Z][a-z]+")


Edit = tuple[int, int, str]
"""(start, end, the text that is put there instead)."""


@dataclass(frozen=True)
class Rewrite:
    """The rewritten text, and the phrases that were replaced, in order."""

    text: str
    replaced: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    """What was changed, in order, by places of the text before."""


def rewrite(text: str, card: Card, beside: Sequence[str] = ()) -> Rewrite:
    """The text with the card's canonical trigger for each phrase that names its subject.

    The trigger is written as a prompt needs it, with its parentheses escaped. A text that has it
    already, in any spelling, does not get it again; its spelling is corrected. Another trigger of
    the card that calls the same subject, in a text without the canonical one, is replaced by it.
    Longer phrases are
    replaced first, as whole words in any case; "bear's" becomes "<bear-v4> 's", "bears" becomes
    "<bear-v4> s". Around the trigger there is whitespace, an end of the text, or an opening bracket
    of a weight: CLIP's tokenizer would join it with punctuation into other tokens. Tags,
    embeddings, weights and proper nouns stay as they are.

    If the text has no such phrase, the trigger is put first. Rewriting a second time changes
    nothing. A card without a trigger leaves the text as it is. `beside` are triggers of other
    models that are used with it: nothing in them is replaced.
    """
    trigger = card.trigger
    if not trigger:
        return Rewrite(text, ())
    taken = [span for other in beside for span in named_spans(text, other)]
    named = named_spans(text, trigger)
    if not named and (alias := _alias(text, card, taken)):
        spans = [span for span in named_spans(text, alias) if not _inside(span, taken)]
        replaced = tuple(text[start:end] for start, end in spans)
        return _put(text, [(*span, "", trigger) for span in spans], replaced)
    said = any(
        not (trigger[0] == "<" and text[start:end].isalpha()) for start, end in named
    )  # "dog", for <dog>, is a noun, too
    nouns = [] if said else _nouns(text, card, _ways(text, card), taken)
    replaced = tuple(text[start:end] for start, end, _ in nouns)
    others = [
        (*span, "", alias)
        for alias in card.triggers[1:]
        if escaped(alias) != alias
        for span in named_spans(text, alias)
    ]
    own = [
        (*span, "", trigger) for span in named if not _inside(span, [other[:2] for other in others])
    ]
    found = _put(text, [*own, *others, *((*noun, trigger) for noun in nouns)], replaced)
    if named or nouns:
        return found
    first = (0, 0, escaped(trigger) + (" " if text.strip() else ""))
    return Rewrite(f"{escaped(trigger)} {found.text}".rstrip(), replaced, (first, *found.edits))


def _put(
    text: str, places: Iterable[tuple[int, int, str, str]], replaced: tuple[str, ...]
) -> Rewrite:
    """The text with a trigger at each of `places`: (start, end, ending to keep, trigger)."""
    edits: list[Edit] = []
    for start, end, ending, trigger in sorted(places, reverse=True):
        after = len(text) - end
        text = _insert(text, start, end, trigger, ending)
        edits.append((start, end, text[start : len(text) - after]))
    return Rewrite(text, replaced, tuple(reversed(edits)))


def _alias(text: str, card: Card, taken: Sequence[tuple[int, int]]) -> str | None:
    """The trigger after the first that stands in the text and calls the same subject.

    Such a trigger shares a word with the first or with the subjects, or has a word that is not
    English ("ohwx"). "green hair", a tag that some cards list as a trigger, calls nothing.
    """
    own = {*name_words(card.trigger or ""), *itertools.chain(*map(stems, subjects_of(card)))}
    for alias in card.triggers[1:]:
        words = name_words(alias)
        calls = own & {*words, *stems(alias)} or not all(map(is_english, words))
        if (
            calls
            and not is_generic(alias)
            and any(not _inside(span, taken) for span in named_spans(text, alias))
        ):
            return alias
    return None


def rewrite_at(text: str, card: Card, span: tuple[int, int]) -> Rewrite:
    """The text with the card's canonical trigger for the phrase text[start:end], `span`.

    Some spans are not replaced: those in a tag, weight or embedding, those that are part of a
    proper name, and those without a letter. For these, the result is that of `rewrite`.
    """
    start, end = span
    protected = [match.span() for match in PROTECTED.finditer(text)]
    free = (
        not _inside(span, protected)
        and not _proper(text, *span)
        and re.search(r"[^\W\d_]", text[start:end])
    )
    if not card.trigger or not free:
        return rewrite(text, card)
    return _put(text, [(start, end, "", card.trigger)], (text[start:end],))


def named_spans(text: str, trigger: str) -> list[tuple[int, int]]:
    """Spans of the trigger in the text, or of its name without angle brackets."""
    found = mentions(text, trigger)
    if trigger.startswith("<"):
        core = re.sub(r"[-_]", "[-_]", re.escape(trigger.strip("<>")).replace(r"\-", "-"))
        bare = re.finditer(rf"(?<![\w<-]){core}(?![\w>-])", text, re.IGNORECASE)
        found += [match.span() for match in bare if not _inside(match.span(), found)]
    obeyed = [
        match
        for match in PROTECTED.finditer(text)
        if match[0][0] != "<" or match.span() not in found
    ]
    protected = [match.span() for match in obeyed]
    return [span for span in found if not _inside(span, protected)]


def _nouns(
    text: str, card: Card, ways: Sequence[frozenset[Phrase]], taken: Sequence[tuple[int, int]]
) -> list[tuple[int, int, str]]:
    """(start, end, ending to keep) of each phrase that names a subject, none of it in `taken`.

    The phrases are those of the first set of `ways` that occurs in the text.
    """
    protected = [*taken, *(match.span() for match in PROTECTED.finditer(text))]
    for trigger in card.triggers:
        protected += named_spans(text, trigger)
    for phrases in ways:
        if found := _found(text, phrases, protected):
            return found
    return []


def _ways(text: str, card: Card) -> list[frozenset[Phrase]]:
    """Sets of phrases that may name the card's subject, the most certain set first.

    These are what the user calls it, its own words, synonyms, head nouns, related subjects and
    typing errors.
    """
    called = frozenset(stems(name) for name in card.names) - {()}
    own = frozenset(stems(subject) for subject in subjects_of(card)) - {()}
    return [called, own, *_other_words(own), _mistyped(text, own)]


@lru_cache(maxsize=1000)
def _other_words(own: frozenset[Phrase]) -> tuple[frozenset[Phrase], ...]:
    """Synonyms, head nouns, and related subjects of a card's own subjects."""
    meant = {subject for phrase in own for subject in SUBJECTS.get(phrase, ())}
    wider = meant.union(*(HYPERNYMS[subject] for subject in meant))
    synonyms = frozenset(phrase for phrase, named in SUBJECTS.items() if meant & set(named))
    kindred = frozenset(
        phrase
        for phrase, named in SUBJECTS.items()
        if any(subject in wider or HYPERNYMS[subject] & meant for subject in named)
    )
    return synonyms, frozenset(phrase[-1:] for phrase in own), kindred


def _mistyped(text: str, phrases: Iterable[Phrase]) -> frozenset[Phrase]:
    """Words of the text that are probably single-word subjects, mistyped."""
    nouns = {phrase[0] for phrase in phrases if len(phrase) == 1}
    return frozenset((word.stem,) for word in split(text) if closest(word.stem, nouns))


def _found(
    text: str, phrases: Iterable[tuple[str, ...]], protected: list[tuple[int, int]]
) -> list[tuple[int, int, str]]:
    words = split(text)
    found: list[tuple[int, int, str]] = []
    taken: set[int] = set()
    for phrase in sorted(phrases, key=len, reverse=True):
        for at in range(len(words) - len(phrase) + 1):
            group = words[at : at + len(phrase)]
            positions = range(at, at + len(phrase))
            if tuple(word.stem for word in group) != phrase or taken & set(positions):
                continue
            gaps = (text[one.end : other.start] for one, other in itertools.pairwise(group))
            span = (group[0].start, group[-1].end)
            if (
                any(gap.strip("-_ ") for gap in gaps)
                or _inside(span, protected)
                or not _stands_free(text, *span)
            ):
                continue
            if _proper(text, *span):
                continue
            taken |= set(positions)
            typed = text[group[-1].start : span[1]]
            found.append((*span, _ending(typed)))
    return found


def _ending(typed: str) -> str:
    """What follows the singular of a word: "'s" in "bear's", "s" in "bears".

    It is "s" also for "puppies", and "" for "mice".
    """
    low = plain(typed)
    head, mark, _ = low.partition("'")
    one = singular(head)
    if low.startswith(one):
        return typed[len(one) :]
    return typed[len(head) :] if mark else "s" if head.endswith("s") else ""


def _stands_free(text: str, start: int, end: int) -> bool:
    """Whether no hyphen or underscore joins the phrase to another word.

    "bear-shaped" and "bear_(shape)" are joined.
    """
    tied = re.search(r"[\w][-_]$", text[max(start - 2, 0) : start]) or re.match(
        r"[-_][\w(\\]", text[end : end + 2]
    )
    return tied is None


def _proper(text: str, start: int, end: int) -> bool:
    """Whether the phrase is part of a name.

    It is if it and a word next to it are capitalised, and most words are not.
    """
    if not _CAPITAL.match(text[start:end]):
        return False
    words = re.findall(r"[A-Za-z]{3,}", text)
    if sum(word[0].isupper() for word in words) > len(words) / 2:
        return False
    before = re.search(r"([A-Za-z]+)\s+$", text[:start])
    after = re.match(r"\s+([A-Za-z]+)", text[end:])
    return any(
        beside and _CAPITAL.match(beside[1]) and not _usual(beside[1]) for beside in (before, after)
    )


def _usual(word: str) -> bool:
    """Whether a capitalised word is not a name.

    It is a word that begins a sentence, or names a month or a style.
    """
    low = word.lower()
    return low in FUNCTION | MODEL_WORDS | TEMPORAL | set(MONTHS) or (singular(low),) in STYLES


def _inside(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _insert(text: str, start: int, end: int, trigger: str, ending: str) -> str:
    """The text with the trigger instead of text[start:end], and `ending` after it."""
    before, after = text[:start], text[end:]
    opens = before.endswith("(") and not before.endswith("\\(") and ")" in after
    gap = "" if not before or before[-1].isspace() or opens else " "
    rest = ending + after
    if reads_as_weight(trigger) and rest.lstrip().startswith(")"):
        rest = f" :1.1{rest}"  # what the parentheses alone mean
    return f"{before}{gap}{escaped(trigger)}{'' if not rest or rest[0].isspace() else ' '}{rest}"
