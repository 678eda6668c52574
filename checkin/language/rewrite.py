"""The rewriter: puts the card's canonical trigger into a text.

It replaces every noun that names the card's subject.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..catalog.card_facts import subjects_of
from ..catalog.cards import Card
from ..lexicon.spelling import is_english, name_words, stems
from ..readers.trigger_words import is_generic
from .subject_nouns import ending_of, inside, is_proper, subject_nouns
from .trigger_prompt import escaped, mentions, reads_as_weight

# Tags of other loaders, embeddings and weights: nothing in them may change.
PROTECTED = re.compile(r"<[^<>]*>|embedding:[^\s,()]+|:\s*[+-]?\d*\.?\d+\s*(?=\))")


Edit = tuple[int, int, str]
"""(start, end, the text that is put there instead)."""


@dataclass(frozen=True)
class Rewrite:
    """The rewritten text, and the phrases that were replaced, in order."""

    text: str
    replaced: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    """What was changed, in order, by places of the text before."""


def rewrite(
    text: str, card: Card, beside: Sequence[str] = (), others: Sequence[tuple[int, int]] = ()
) -> Rewrite:
    """The text with the card's canonical trigger for each phrase that names its subject.

    The trigger is written as a prompt needs it, with its parentheses escaped. A text that has it
    already, in any spelling, does not get it again; its spelling is corrected. Another trigger of
    the card that calls the same subject, in a text without the canonical one, is replaced by it.
    Longer phrases are replaced first, as whole words in any case; "bear's" becomes "<bear-v4> 's",
    "bears" becomes "<bear-v4>". Around the trigger there is whitespace where CLIP's tokenizer would
    join it with what is beside it into other tokens: "<bear-v4> ,", but "b3ar, ".
    Tags, embeddings, weights and proper nouns stay as they are.

    If the text has no such phrase, the trigger is put first. Rewriting a second time changes
    nothing. A card without a trigger leaves the text as it is. `beside` are triggers of other
    models that are used with it: nothing in them is replaced, nor in `others`, which name those.
    """
    trigger = card.trigger
    if not trigger:
        return Rewrite(text, ())
    taken = [*others, *(span for other in beside for span in named_spans(text, other))]
    named = [one for one in named_spans(text, trigger) if not _is_part(one, taken)]
    if not named and (alias := _alias(text, card, taken)):
        spans = [span for span in named_spans(text, alias) if not inside(span, taken)]
        replaced = tuple(text[start:end] for start, end in spans)
        return _put(text, [(*span, "", trigger) for span in spans], replaced)
    said = any(
        not (trigger[0] == "<" and text[start:end].isalpha()) for start, end in named
    )  # "dog", for <dog>, is a noun, too
    obeyed = [match.span() for match in PROTECTED.finditer(text)]
    own_words = [span for one in card.triggers for span in named_spans(text, one)]
    nouns = [] if said else subject_nouns(text, card, [*taken, *obeyed, *own_words])
    replaced = tuple(text[start:end] for start, end, _ in nouns)
    aliases = [
        (*span, "", alias)
        for alias in card.triggers[1:]
        if escaped(alias) != alias
        for span in named_spans(text, alias)
    ]
    own = [
        (*span, "", trigger) for span in named if not inside(span, [other[:2] for other in aliases])
    ]
    found = _put(text, [*own, *aliases, *((*noun, trigger) for noun in nouns)], replaced)
    if named or nouns:
        return found
    link = "" if not text.strip() else ", " if is_generic(trigger) else " "
    first = (0, 0, escaped(trigger) + link)
    return Rewrite(f"{first[2]}{found.text}", replaced, (first, *found.edits))


def _is_part(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    """Whether a span is a part of a longer one: "frieren", in "fern (sousou no frieren)"."""
    return any(span != one and one[0] <= span[0] and span[1] <= one[1] for one in others)


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
            and any(not inside(span, taken) for span in named_spans(text, alias))
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
        not inside(span, protected)
        and not is_proper(text, *span)
        and re.search(r"[^\W\d_]", text[start:end])
    )
    if not card.trigger or not free:
        return rewrite(text, card)
    return _put(text, [(start, end, "", card.trigger)], (text[start:end],))


def named_at(text: str, card: Card, span: tuple[int, int]) -> Rewrite:
    """The text with the card's canonical trigger for text[start:end], `span`, which names a model.

    A last word of the trigger that follows is not said twice: "ink style" becomes "inkst style". A
    name in a tag, weight or embedding stays: the trigger is put as `rewrite` puts it.
    """
    start, end = span
    if not card.trigger or inside(span, [match.span() for match in PROTECTED.finditer(text)]):
        return rewrite(text, card)
    ending = "" if card.styles else ending_of(text[start:end])
    last = card.trigger.split()[-1]
    if again := re.compile(rf"\s+{re.escape(last)}(?![\w-])", re.IGNORECASE).match(text, end):
        end, ending = again.end(), ""
    return _put(text, [(start, end, ending, card.trigger)], (text[start:end],))


def named_spans(text: str, trigger: str) -> list[tuple[int, int]]:
    """Spans of the trigger in the text, or of its name without angle brackets."""
    found = mentions(text, trigger)
    if trigger.startswith("<"):
        core = re.sub(r"[-_]", "[-_]", re.escape(trigger.strip("<>")).replace(r"\-", "-"))
        bare = re.finditer(rf"(?<![\w<-]){core}(?![\w>-])", text, re.IGNORECASE)
        found += [match.span() for match in bare if not inside(match.span(), found)]
    obeyed = [
        match
        for match in PROTECTED.finditer(text)
        if match[0][0] != "<" or match.span() not in found
    ]
    protected = [match.span() for match in obeyed]
    return [span for span in found if not inside(span, protected)]


def _insert(text: str, start: int, end: int, trigger: str, ending: str) -> str:
    """The text with the trigger instead of text[start:end], and `ending` after it."""
    before, after = text[:start], text[end:]
    opens = before.endswith("(") and not before.endswith("\\(") and ")" in after
    gap = "" if opens or _apart(before[-1:], trigger[:1]) else " "
    rest = ending + after
    if reads_as_weight(trigger) and rest.lstrip().startswith(")"):
        rest = f" :1.1{rest}"  # what the parentheses alone mean
    behind = "" if _apart(trigger[-1:], rest[:1]) else " "
    return f"{before}{gap}{escaped(trigger)}{behind}{rest}"


def _apart(one: str, other: str) -> bool:
    """Whether CLIP's tokenizer keeps two characters apart that stand side by side: one of them is a
    letter or a digit of English, and the other neither.
    """
    letters = [each.isascii() and each.isalnum() for each in (one, other)]
    ascii_sign = (one + other).isascii() and letters[0] != letters[1]
    return not (one.strip() and other.strip()) or ascii_sign
