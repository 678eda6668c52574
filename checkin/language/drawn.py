"""The part of a request that is drawn: all but the words that only choose the model.

What is left out is cut so that the rest reads on: no double spaces, commas or orphaned words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

from ..catalog.card_facts import subjects_of
from ..catalog.cards import Card
from ..lexicon import FUNCTION
from ..lexicon.english import any_of, one_of, phrases
from ..lexicon.kin import KIN
from ..lexicon.spelling import is_english, name_words, split, stems
from .called import FILE_ENDING, Called, Names, called_at, words_at
from .choosing import choosing_spans
from .intent import Intent
from .origins import Span
from .phrases import MYSELF
from .rewrite import Rewrite, named_at, named_spans, rewrite
from .shared_nouns import Told, nouns_of_others
from .subject_nouns import inside

STOPS = ",;:.!?\u2013\u2014\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f"
_BREAKS = re.compile(rf"[ \t]*[{STOPS}]*[ \t]*")
_JOINS = one_of("choosing", "joins")
_LOOSE = re.compile(
    rf"(?:^|(?<=\s)){any_of(phrases('choosing', 'joins'), phrases('choosing', 'loose'))}\s*$",
    re.IGNORECASE,
)
_RELATIVES = frozenset(KIN) | {MYSELF}
_OF = re.compile(r"\s+of\b")
_GLUED = re.compile(r"[^\s(\[][^\s)\],.;:!?]")
_FILE = re.compile(rf"{FILE_ENDING}$")
_OPENING = re.compile(rf"(?:{_JOINS}\b|[+&])[ \t]*")


@dataclass(frozen=True)
class Piece:
    """A piece of a prompt; with `left_out`, words of the request that are not in the prompt."""

    text: str
    left_out: bool = False


@dataclass(frozen=True)
class Drawn:
    """A prompt, and what of the request is not in it."""

    text: str
    request: str
    left_out: tuple[Span, ...] = ()
    """request[start:end] is left out, in order."""
    places: tuple[int, ...] = ()
    """Where in `text` each of them would stand."""

    @classmethod
    def of(cls, request: str, left_out: Iterable[Span] = ()) -> Drawn:
        """The request without some spans, which are in order and apart."""
        text, places, end = "", [], 0
        spans = tuple(left_out)
        for span in spans:
            text += request[end : span[0]]
            places.append(len(text))
            end = span[1]
        return cls(text + request[end:], request, spans, tuple(places))

    def place(self, span: Span) -> Span | None:
        """Where request[start:end] stands in the text, before triggers are put in; None where any
        of it is left out.
        """
        if inside(span, self.left_out):
            return None
        gone = sum(end - start for start, end in self.left_out if start < span[0])
        return span[0] - gone, span[1] - gone

    def after(self, found: Rewrite) -> Drawn:
        """The prompt after a rewriting of its text."""
        places = list(self.places)
        for start, end, put in reversed(found.edits):
            moved = len(put) - (end - start)
            for index, place in enumerate(self.places):
                if place >= end and (place > start or end > start):
                    places[index] += moved
                elif place > start:
                    places[index] = start
        return replace(self, text=found.text, places=tuple(places))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The prompt, with the words that are left out where they stood."""
        found, end = [], 0
        for (first, last), place in zip(self.left_out, self.places, strict=True):
            found += [Piece(self.text[end:place]), Piece(self.request[first:last], left_out=True)]
            end = max(end, place)
        return tuple(one for one in (*found, Piece(self.text[end:])) if one.text)


def drawn(
    request: str,
    intent: Intent,
    cards: Sequence[Card],
    names: Names = MappingProxyType({}),
    told: Told = MappingProxyType({}),
) -> Drawn:
    """The request without the words that only choose, before the triggers are put in.

    Names of the models, and the words that call them (`names`), are replaced by their triggers; of
    a noun that two of them share, `told` tells whose it is. Where nothing is left, the text is
    empty, or the subject of a model without a trigger.
    """
    found = Drawn.of(request, tidied(request, choosing_spans(request, intent, cards, names)))
    if says_nothing(found.text):
        return without_words(request, cards)
    for start, end, card in reversed(_names(found, intent, cards, names, told)):
        found = found.after(named_at(found.text, card, (start, end)))
    return found


def says_nothing(english: str) -> bool:
    """Whether a text has small words alone."""
    return all(word.text in FUNCTION for word in split(english))


def without_words(request: str, cards: Sequence[Card]) -> Drawn:
    """What is drawn of a request that only chooses: the subjects of models without triggers."""
    own = [one for one in cards if one.kind != "checkpoint" or one.origin != "downloaded"]
    of = () if any(card.trigger for card in cards) else [subjects_of(one) for one in own]
    text = ", ".join(subjects[0] for subjects in of if subjects)
    return Drawn(text, request, ((0, len(request)),), (len(text),))


def _names(
    found: Drawn, intent: Intent, cards: Sequence[Card], called: Names, told: Told
) -> list[tuple[int, int, Card]]:
    """(start, end, card) of each name of a model in the prompt that its trigger stands for.

    A card whose trigger is in the prompt has none, but for "Eise Eisinga", whose trigger is "eise".
    """
    names: list[tuple[int, int, Card]] = []
    for card in cards:
        if not card.trigger or not _calls_it(card):
            continue
        there = named_spans(found.text, card.trigger)
        others = nouns_of_others(found.text, card, cards, told)
        for start, end in _spans(found, intent, card, called.get(card.id)):
            if there and not _says_more(found.text, (start, end), there):
                continue
            if not inside((start, end), [*others, *(name[:2] for name in names)]):
                stays = _stays(found.text, (start, end), card)
                names.append((start, start if stays else end, card))
    return sorted(names, key=lambda name: name[0])


def _spans(found: Drawn, intent: Intent, card: Card, called: Called | None) -> Iterator[Span]:
    """Where a card is named in the prompt: by the words that call it, and by its file name where
    that is no word for its subject.
    """
    by_name = called_at(found.request, intent, card)
    words = words_at(found.request, called)
    if by_name:
        words = [one for one in words if inside(one, by_name)]
    if called and _RELATIVES.issuperset(called.words):  # "mum on a bench, as mum paints"
        words = [one for one in words if found.place(one)][:1]
    nouns = [edit[:2] for edit in rewrite(found.text, card).edits] if by_name else []
    for span in (*words, *by_name):
        here = found.place(span)
        is_file = _FILE.search(found.request[slice(*span)])
        is_noun = span not in words and not is_file and here and inside(here, nouns)
        if here and not is_noun:
            yield here


def _calls_it(card: Card) -> bool:
    """Whether the trigger calls the model: it is a single word, or has a made-up word or one of the
    model's names. A tag that a site lists as trigger ("long hair") is no word for it.
    """
    trigger = stems(card.trigger or "")
    names = chain(name_words(card.name), stems(card.title), *map(stems, subjects_of(card)))
    made_up = len(trigger) == 1 or not all(map(is_english, trigger))
    return made_up or not {*trigger}.isdisjoint(names)


def _says_more(text: str, name: Span, triggers: Sequence[Span]) -> bool:
    """Whether a name is a trigger and what else somebody is called, or the ending of a file."""
    inside = [one for one in triggers if name[0] <= one[0] and one[1] <= name[1]]
    if not inside:
        return False
    if _FILE.search(text[slice(*name)]):
        return True
    (start, end), whole = inside[0], slice(*name)
    rest = text[whole.start : start] + text[end : whole.stop]
    words = [rest[word.start : word.end] for word in split(rest)]
    return bool(words) and all(word[:1].isupper() and not is_english(word) for word in words)


def _stays(text: str, span: Span, card: Card) -> bool:
    """Whether words for a look stay, as its trigger lacks them: "an ink wash of pears"."""
    if card.subjects or not card.styles or not _OF.match(text, span[1]):
        return False
    return not {*stems(text[span[0] : span[1]])} <= {*stems(card.trigger or "")}


def tidied(request: str, spans: Sequence[Span]) -> list[Span]:
    """The spans with the spaces, punctuation and small words that would be left loose around them.

    They are in order, apart, and each within one line; a line that is left out goes with its break.
    """
    found = list(spans)
    while True:
        grown = _merged(request, [_grown(request, span) for span in found])
        if grown == found:
            return found
        found = grown


def _merged(request: str, spans: Sequence[Span]) -> list[Span]:
    """Spans with those that touch, or have only spaces and punctuation between them, made one.

    What stops the last of them stays where the words around would else be one.
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and not request[found[-1][1] : start].strip(f" \t{STOPS}"):
            first, last = found[-1][0], max(end, found[-1][1])
            if _GLUED.fullmatch(request[first - 1 : first] + request[last : last + 1]):
                last = first + len(request[first:last].rstrip(f" \t{STOPS}"))
            found[-1] = (first, last)
        else:
            found.append((start, end))
    return found


def _grown(request: str, span: Span) -> Span:
    """One span with what would be left loose around it."""
    start, end = span
    line_start = request.rfind("\n", 0, start) + 1
    before = request[line_start:start]
    if before[-1:] in ("(", "[") and request[end : end + 1] in (")", "]"):
        return start - 1, end + 1
    breaks = _BREAKS.match(request, end)
    after = breaks.end() if breaks else end
    ends_line = after == len(request) or request[after] == "\n"
    if not before.strip():
        joined = _OPENING.match(request, after)
        end = joined.end() if joined and not ends_line else after
        if ends_line:
            return max(line_start - (end == len(request)), 0), min(end + 1, len(request))
        return line_start, end
    if (loose := _LOOSE.search(before)) and (ends_line or request[end:after].strip()):
        return line_start + loose.start(), end
    stop = before.rstrip()[-1]
    if ends_line:
        stops = request[end:after].strip()
        if stop in ".!?":
            return line_start + len(before.rstrip()), after
        return line_start + len(before.rstrip(f" \t{STOPS}")), end if stops[:1] in tuple(
            ".!?"
        ) else after
    if stop == "," and request[end:after].strip(" \t,"):
        return line_start + len(before.rstrip(" \t,")), end
    if stop in STOPS:
        return start, after if before[-1] in " \t([{" else end
    if request[end:after].strip():
        return line_start + len(before.rstrip()), end
    return start, after if before[-1] in " \t([{" else end
