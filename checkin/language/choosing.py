"""The words of a request that only choose the model: "my latest", "from last winter", "please".

They are found in a copy of the request in which what gates took, what names the model, and what
must not be touched are marks of the same length; rules are patterns over that copy. A word that may
be of the picture stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from types import MappingProxyType

from ..catalog.cards import Card
from ..lexicon import CARDINALS, FUNCTION, STYLES
from ..lexicon.english import one_of
from ..lexicon.spelling import is_english, plain, split, stems
from .called import Names, called_at, naming_spans, words_at
from .choosing_words import (
    AROUND,
    BARE_TIME,
    BEFORE_I,
    CLAUSES,
    COUNT,
    END,
    END_OF_A_LOOK,
    FILE_WORD,
    FIXED,
    GATE,
    ITS_ARTICLE,
    LEFT_DET,
    LINKED,
    LONG,
    MIX,
    MODEL,
    MODELS,
    MY,
    NAME,
    NEGATION,
    NEGATIONS,
    NEXT,
    NO,
    NOT_A_NAME,
    OF_A_LOOK,
    OPENS_SCENE,
    PURPOSES,
    QUOTED,
    SAME,
    SURE,
    SURELY_MADE,
    TALK,
    UNIT,
    WEAK,
    G,
)
from .gates import OWN_STYLE
from .intent import Intent, Said
from .model_phrases import is_verb
from .origins import Span
from .rewrite import PROTECTED

_PHRASE = re.compile(r"[^,.;:!?\n]*")
_AND = one_of("words", "function", "conjunctions")
_ORDER = re.compile(
    rf"(?:^|(?<=[,.;:!?\n])|\b{_AND}(?=\s))\s*{one_of('choosing', 'orders to a helper')}\b"
    rf"(?:(?!\b{_AND}\s)[^,.;:!?\n])*$"
)
"""From the order on, before the name of what only helps."""
_AFTER_NAME = re.compile(rf"(?:\s+{MIX.pattern}\b)?(?:\s+with(?=\s+{NAME}))?")
"""What belongs to it behind the name: "mochi mix", "juggernaut with moss"."""


class _Marked:
    """The copy of the request with marks."""

    def __init__(self, request: str) -> None:
        self.text = self.plain = plain(request)

    def mark(self, start: int, end: int, sign: str = GATE) -> None:
        """Mark text[start:end], but not what must not be touched."""
        piece = self.text[start:end]
        if sign == GATE:
            trimmed = piece.strip()
            if not trimmed or FIXED in trimmed:
                return
            start += len(piece) - len(piece.lstrip())
            end = start + len(trimmed)
        self.text = self.text[:start] + sign * (end - start) + self.text[end:]

    def apply(self, patterns: Iterable[re.Pattern[str]]) -> None:
        """Mark each match of each pattern."""
        for pattern in patterns:
            for match in reversed(list(pattern.finditer(self.text))):
                self.mark(*match.span())

    def in_scene(self, place: int) -> bool:
        """Whether the words before, in the same clause, lead into the scene."""
        clause = re.split(r"[,.;:!?\n]", self.text[:place])[-1].replace(GATE, " ").split()
        return any(word in OPENS_SCENE or is_verb(word) for word in clause[1:])

    def begins(self, place: int) -> bool:
        """Whether only marks stand before, in the same sentence."""
        sentence = re.split(r"[.!?\n]", self.text[:place])[-1]
        return not sentence.replace(GATE, "").strip()

    def phrase_after(self, place: int) -> str:
        """The noun phrase that follows, up to a function word or the end of the clause."""
        found = _PHRASE.match(self.text, place)
        words = []
        for word in found[0].split() if found else ():
            if word in FUNCTION and not re.fullmatch(MODEL, word):
                break
            words.append(word)
        return " ".join(words)


def choosing_spans(
    request: str, intent: Intent, cards: Sequence[Card], names: Names = MappingProxyType({})
) -> list[Span]:
    """Where words stand that only choose: the words of gates and what belongs to them.

    `cards` are the chosen models, and `names` the words that call them: a word that names one of
    them is not among these words, unless it only chooses.
    """
    text = _Marked(request)
    for pattern in (QUOTED, PROTECTED):
        for match in pattern.finditer(text.text):
            text.mark(*match.span(), FIXED)
    only_choose = [one for one in cards if one.id in names and names[one.id].only_chooses]
    for span in naming_spans(
        request, intent, [one for one in cards if one not in only_choose], names
    ):
        text.mark(*span, NAME)
    for card in only_choose:
        for span in (*called_at(request, intent, card), *words_at(request, names[card.id])):
            start, end = _with_order(text.plain, span)
            after = _AFTER_NAME.match(text.text, end)
            text.mark(start, after.end() if after else end)
    for said in intent.said:
        if _chooses(said, text):
            text.mark(*_trimmed(said, text.text))
    _negations(text, intent)
    text.apply(TALK)
    _clauses(text)
    if intent.used:
        text.apply(SAME)
    text.apply(MODELS)
    _file_words(text)
    text.apply((*AROUND, *MODELS, *AROUND, *PURPOSES))
    _possessives(text)
    text.apply((LEFT_DET,))
    return [match.span() for match in re.finditer(G, text.text)]


def _with_order(text: str, span: Span) -> Span:
    """Words that only choose, with the clause that orders them: "and turn the detail up a bit"."""
    order = _ORDER.search(text, 0, span[0])
    end = _PHRASE.match(text, span[1])
    return (order.start(), end.end()) if order and end else span


def _chooses(said: Said, marked: _Marked) -> bool:
    """Whether the words of a gate choose, and are not rather words of the picture."""
    words = re.sub(r"\s+", " ", marked.plain[said.start : said.end]).strip()
    before = marked.plain[: said.start].rstrip()
    following = marked.phrase_after(said.end)
    points = re.search(rf"\b(?:{MODEL}|style|look)\b|{GATE}", following) is not None
    match said.what:
        case "time":
            return points or _is_date(words, before, following)
        case "version":
            return words not in CARDINALS and (points or _is_build(said, words, following, marked))
        case "build":
            return re.fullmatch(r"[br]\d+\w?", words) is None
        case "base model":
            described = re.search(r"\ban?$", before) is not None and following and not points
            return not described and not UNIT.match(marked.plain, said.end)
        case "kind":
            own = re.search(r"\b(?:my|our|own)(?: \w+){0,2}$", before) is not None
            no_lora = re.match(r"(?:no|without)\b", words) is not None
            own_style = re.fullmatch(OWN_STYLE, words) is not None
            return no_lora or own_style or (own and MIX.fullmatch(words) is not None)
    return said.what in ("origin", "bound", "added", "strength", "number", "helper")


def _is_date(words: str, before: str, following: str) -> bool:
    """Whether a time is when the model was made: "from last May", not "the april tour"."""
    if re.search(r"\b(?:from|since|of|in)$", before):
        return True
    if following and NAME not in following and re.search(r"\bthe\b|'s$", words):
        return False
    said = NAME in following or not following or LINKED.match(words) is not None
    return (said or stems(following)[:1] in STYLES) and not BARE_TIME.fullmatch(words)


def _is_build(said: Said, words: str, following: str, marked: _Marked) -> bool:
    """Whether a version or order is of the model: "my latest", not "a new car", "a v8 pickup"."""
    before, scene = marked.plain[: said.start].rstrip(), marked.in_scene(said.start)
    if COUNT.fullmatch(words):
        return not scene
    if WEAK.fullmatch(words):
        alone = BEFORE_I.match(marked.plain, said.end) or not following
        return bool(alone or before.endswith(" very")) and len(marked.plain) < LONG
    if NAME in following or re.search(r"\b(?:my|our)$", before):
        return True
    if any(map(str.isdigit, words)):
        return not (following and scene)
    return not scene and not (following and re.search(r"\w.*\bof(?: the)?$", before))


def _trimmed(said: Said, text: str) -> Span:
    """The span of a gate without an "on" that begins the scene: "from last winter on the grass"."""
    last = re.search(r"\s+onw?a?r?d?s?$", text[said.start : said.end])
    if last and re.match(r"\s+\w", text[said.end :]):
        return said.start, said.start + last.start()
    return said.start, said.end


def _negations(text: _Marked, intent: Intent) -> None:
    """Mark what is not wanted of the model: "no cartoon"; "no people" is of the picture."""
    text.apply(NEGATIONS)
    for match in reversed(list(NOT_A_NAME.finditer(text.text))):
        if not is_english(match["name"]):
            text.mark(*match.span())
    for term in intent.unwanted:
        is_style = any(isinstance(key, tuple) for key in term.keys) or stems(term.words) in STYLES
        if term.keys or is_style:
            words = r"\W+".join(re.escape(word.text) for word in split(term.words))
            no, end = (NO, END_OF_A_LOOK) if is_style else (NEGATION, END)
            said = rf",?\s*\b{SURE}{no}\s+(?:(?:an?|the|for)\s+)*"
            pattern = rf"(?:{said}|{GATE}\s+(?:in|as)\s+(?:an?\s+)?){words}\b(?:\s+ones?\b)?"
            pattern += rf"(?:\s+please)?{end}"
            text.apply((re.compile(pattern),))


def _possessives(text: _Marked) -> None:
    """Mark "my" and "our" before the model's subject, before what chooses, and at the beginning."""
    for match in reversed(list(MY.finditer(text.text))):
        phrase = text.phrase_after(match.end())
        first = not re.sub(rf"{GATE}|\s", "", text.text[: match.start()])
        look = OF_A_LOOK.match(text.text, match.end())
        if first or look or NAME in phrase or GATE in phrase:
            text.mark(*match.span())


def _clauses(text: _Marked) -> None:
    """Mark "that I trained last May"; "a cake I made" in a scene is of the picture."""
    for pattern in CLAUSES:
        for match in reversed(list(pattern.finditer(text.text))):
            of_model = re.search(rf"(?:\b{MODEL}|{GATE})\s*$", text.text[: match.start()])
            main = text.begins(match.start()) and re.match(
                rf" [\w{NAME}]", text.text[match.end() :]
            )
            if main and not NEXT.match(text.text, match.end() + 1):
                continue  # "I made the bear a hat"
            sure = of_model or SURELY_MADE.search(match[0])
            if sure or not text.in_scene(match.start()):
                text.mark(*match.span())


def _file_words(text: _Marked) -> None:
    """Mark "lora" and its like, with the article of "the umbrella lora"."""
    for match in reversed(list(FILE_WORD.finditer(text.text))):
        article = ITS_ARTICLE.search(text.text, 0, match.start())
        phrase = text.text[article.start() if article else 0 : match.start()]
        pointed = re.search(rf"{GATE}(?: \S+){{0,3}} $", text.text[: match.start()])
        owned = re.match(r"my|our|that|this", phrase) if article else None
        if (
            match[0].startswith("model")
            and not pointed
            and GATE not in text.text[match.end() :][:2]
        ):
            continue
        if pointed or owned or not text.in_scene(match.start()):
            text.mark(*match.span())
            text.mark(*(article.span() if article else (0, 0)))
