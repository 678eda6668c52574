"""A request cut into words of its language, each with its English."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from ...catalog.vocabulary import Vocabulary
from ...lexicon import CARDINALS
from ...lexicon.english import rows
from ...lexicon.languages import Dictionary, Entry, Profile
from ...lexicon.spelling import plain
from .bases import BASES, SHORT_BASES
from .names import is_name, name_heard, name_of, name_read, stands_apart, stands_in_names

NUMBER = "#"
"""A number in a phrase of the dictionary: "vor # tagen"."""
_LATIN = "a-z\u00df-\u024f"
_SPACED = re.compile(
    rf"(?P<kept><[^<>\n]*>|0,\d{{1,2}}(?![\d,])|[{_LATIN}]*[\d_][\w.]*(?:-\w+)*"
    rf"|[{_LATIN}]+[-.]?[\w.-]*[\d_][\w]*)"
    r"|(?P<word>[^\W\d_]+'?)|(?P<sign>(?!(?<=\w)-\w)[^\w\s])"
)
_UNSPACED = re.compile(
    rf"(?P<kept><[^<>\n]*>|[{_LATIN}][{_LATIN}\d_]*(?:[.'-]?[{_LATIN}\d_]+)*"
    rf"|\d+(?:[./-]\d+)+|\d+[{_LATIN}][{_LATIN}\d_]*)"
    rf"|(?P<word>(?!\d+\.\d)[^\W_{_LATIN}](?: *(?!\d+\.\d)[^\W_{_LATIN}])*)|(?P<sign>[^\w\s])"
)
_HANGUL_PART = re.compile("[\u3131-\u318e]")
_SIGNS = str.maketrans(
    "\u3001\u3002\u300c\u300d\u300e\u300f\u3010\u3011\u30fb\xbf\xa1", ',.""""() ' + "  "
)
_NAMED_KINDS = frozenset("thing look quality action".split())
"""Words of these kinds give way to names in the library."""
_IN_COMPOUNDS = _NAMED_KINDS | {"model", "time"}
_MONTHS = frozenset(rows("times", "months"))
_STYLE = "style"
_MOST_OF_ENDINGS = 3
"""The most letters looked at behind a word that may begin a verb."""
_DOING = "doing"
"""The English of a verb that the dictionary lacks, by its ending (`Profile.doing`)."""
_LEAST, _MOST = 3, 40
"""Letters of the shortest part of a compound, and of the longest compound."""
_UNKNOWN = 8.0
"""What an unknown letter costs, in words, where no spaces part words."""
_LATER = 0.1
"""What a word costs more that does not begin a run of letters."""
_NAMED, _TIMED = 0.05, 0.02
"""What a name of the library costs less, "くまちゃん" and "と", not "くま" and "ちゃんと"; and each
letter of a time, "日前" and "の", not "日" and "前の".
"""
_OWN, _AS_IT_IS = 3, -2.0
"""Letters of the shortest word that stays as it is where a note on a model says it, and that it
costs more than one of the dictionary.
"""


@dataclass(frozen=True)
class Item:
    """A word or phrase of a request in English; request[start:end] says it."""

    english: str
    kind: str
    """A `Kind` of the dictionary; "name" of a model, "kept" for other unknown words, or "sign"."""
    start: int
    end: int


def items_of(
    request: str, language: Profile, words: Dictionary, vocabulary: Vocabulary
) -> list[Item]:
    """The words of a request, in order."""
    text = "".join(map(_narrow, plain(request))).translate(_SIGNS)
    reader = _Spaced if language.spaced else _Unspaced
    return list(reader(text, language, words, vocabulary).read())


def _narrow(letter: str) -> str:
    """A letter, digit or sign of full width as a plain one; parts of Hangul as they are."""
    found = letter if letter.isascii() else unicodedata.normalize("NFKC", letter)
    return found if len(found) == 1 and not _HANGUL_PART.match(letter) else letter


@dataclass
class _Reader:
    text: str
    language: Profile
    words: Dictionary
    vocabulary: Vocabulary

    def entry(self, phrase: str) -> Entry | None:
        """The entry of a phrase, unless it is the name of a model."""
        found = self.words.entries.get(phrase)
        if found and found.kind in _NAMED_KINDS and is_name(phrase, self.vocabulary):
            return None
        if found and found.kind == "time" and stands_in_names(phrase, self.vocabulary):
            return None  # "vitrine de noël", of vitrine_noel
        return found

    def _other(self, token: re.Match[str]) -> Item:
        """A sign, or a name; "2e" is in the dictionary."""
        entry = self.entry(token[0])
        if entry and not self.vocabulary.named(token[0]):
            return Item(entry.english, entry.kind, *token.span())
        return Item(token[0], "sign" if token["sign"] else self._kind(token[0]), *token.span())

    def as_it_is(self, start: int, end: int) -> Item:
        """An unknown word; one in other letters in Latin ones, if a model is called so."""
        typed = self.text[start:end]
        word = name_of(typed, self.words.letters, self.vocabulary) or typed
        return Item(word, self._kind(word), start, end)

    def _kind(self, word: str) -> str:
        called = is_name(word, self.vocabulary) or stands_in_names(word, self.vocabulary)
        return "name" if called else "kept"


class _Spaced(_Reader):
    """A language with spaces between words: the longest phrase at each word."""

    def read(self) -> Iterator[Item]:
        """The words, in order."""
        tokens = list(_SPACED.finditer(self.text))
        place = 0
        while place < len(tokens):
            token = tokens[place]
            count = 1
            if base := BASES.match(self.text, token.start()):
                yield Item(base[0], "kept", *base.span())
                count = sum(token.start() <= one.start() < base.end() for one in tokens)
            elif token["word"] is None:
                yield self._other(token)
            else:
                count, entry = self._phrase(tokens[place:])
                if entry:
                    said = tokens[place : place + count]
                    english = entry.english.replace(NUMBER, self._number_in(said))
                    yield Item(english, entry.kind, token.start(), said[-1].end())
                else:
                    yield from self._compound(token[0], token.start())
            place += count

    def _phrase(self, tokens: list[re.Match[str]]) -> tuple[int, Entry | None]:
        """(words, entry) of the longest phrase that the tokens begin with."""
        longest = tokens[: self.words.longest]
        group = list(itertools.takewhile(lambda one: one["word"] or self._number(one), longest))
        gaps = (self.text[a.end() : b.start()] for a, b in itertools.pairwise(group))
        whole = 1 + sum(1 for _ in itertools.takewhile(lambda gap: gap in ("", " ", "-"), gaps))
        forms = [self._forms(one[0]) + self._exact(one)[1:] for one in group[:whole]]
        for count in range(whole, 0, -1):
            for words in itertools.product(
                *(forms[:count] if count < 4 else (self._exact(one) for one in group[:count]))
            ):
                if entry := self.entry(" ".join(words)):
                    return count, entry
        return 1, None

    def _exact(self, token: re.Match[str]) -> list[str]:
        """A word as it is, and what stands for a number in the phrases of the dictionary."""
        return [token[0], NUMBER] if self._number(token) else [token[0]]

    def _number(self, token: re.Match[str]) -> str | None:
        """The number that a token is, in digits or in English."""
        if token[0].isdigit():
            return token[0] if len(token[0]) < 4 else None
        entry = self.words.entries.get(token[0])
        return entry.english if entry and entry.english in CARDINALS else None

    def _number_in(self, tokens: list[re.Match[str]]) -> str:
        return next(filter(None, map(self._number, tokens)), "")

    def _forms(self, word: str) -> list[str]:
        return [word] if is_name(word, self.vocabulary) else self.language.forms(word)

    def _compound(self, word: str, start: int) -> Iterator[Item]:
        """The two parts of a compound word; any other word as it is, or as something done."""
        named = is_name(word, self.vocabulary) or stands_in_names(word, self.vocabulary)
        apart = self.language.links and len(word) <= _MOST and not named
        for at in range(len(word) - _LEAST, _LEAST - 1, -1) if apart else ():
            heads = (
                self.entry(word[: at - len(link)])
                for link in self.language.links
                if word[:at].endswith(link) and at - len(link) >= _LEAST
            )
            first = next(filter(_joins, heads), None)
            last = next(filter(_joins, map(self.entry, self._forms(word[at:]))), None)
            if first and last and not _is_month_of_a_thing(first, last):
                yield Item(first.english, first.kind, start, start + at)
                yield Item(last.english, last.kind, start + at, start + len(word))
                return
        if not named and self.language.doing and self.language.doing.fullmatch(word):
            yield Item(_DOING, "action", start, start + len(word))
        else:
            yield self.as_it_is(start, start + len(word))


def _joins(entry: Entry | None) -> bool:
    return entry is not None and entry.kind in _IN_COMPOUNDS and bool(entry.english)


def _is_month_of_a_thing(first: Entry, last: Entry) -> bool:
    """Whether the parts of a compound are a month and what is seen: a maypole is of no May."""
    return first.english in _MONTHS and last.kind in _NAMED_KINDS


class _Unspaced(_Reader):
    """A language without spaces, or with endings joined to words: as few words as possible."""

    def read(self) -> Iterator[Item]:
        """The words, in order."""
        place = 0
        while token := _UNSPACED.search(self.text, place):
            place = token.end()
            if token["word"]:
                yield from self._cut(*token.span())
            elif mixed := self._mixed(token):
                yield mixed
                place = mixed.end
            elif base := SHORT_BASES.get(token[0]):
                yield Item(base, "kept", *token.span())
            else:
                yield self._other(token)

    def _mixed(self, token: re.Match[str]) -> Item | None:
        """The longest phrase that a token in Latin letters or digits begins: "zイメージ"."""
        start, end = token.span("kept")
        for stop in range(min(start + self.words.longest, len(self.text)), end, -1):
            if self.text[stop - 1].isascii():
                continue
            if start >= 0 and (entry := self.entry(self.text[start:stop])):
                return Item(entry.english, entry.kind, start, stop)
        return None

    def _cut(self, start: int, end: int) -> Iterator[Item]:
        """The words of text[start:end] that leave the fewest letters unknown."""
        text = self.text[start:end]
        best: list[tuple[float, int, Entry | None]] = [(0.0, 0, None)]
        for stop in range(1, len(text) + 1):
            unknown = 0.0 if text[stop - 1] == " " else _UNKNOWN
            found: tuple[float, int, Entry | None] = (best[-1][0] + unknown, stop - 1, None)
            for at in range(max(0, stop - self.words.longest), stop):
                price = best[at][0] + 1 + (at > 0) * _LATER
                if price < found[0] and (entry := self._at(start + at, start + stop)):
                    less = {"name": _NAMED, "time": _TIMED * (stop - at), "kept": _AS_IT_IS}
                    found = (price - less.get(entry.kind, 0.0), at, entry)
            best.append(found)
        yield from self._pieces(best, text, start)

    def _at(self, at: int, stop: int) -> Entry | None:
        """The entry of text[at:stop], if it may stand there."""
        word, before, after = self.text[at:stop], self.text[at - 1 : at], self.text[stop : stop + 1]
        if word.isdigit():
            return None if before.isdigit() or after.isdigit() else Entry(word, "number")
        name = name_read(word, self.language, self.words, self.vocabulary)
        if name and self.language.joined and self._begins_a_verb(at, stop):
            return None
        if name and stands_apart(self.text, at, stop, self.words):
            return Entry(name, "name")
        if self.language.joined and len(word) > 1:
            name = name_heard(self.text, at, stop, self.words, self.vocabulary)
            if name:
                return Entry(name, "name")
        if len(word) > 1 and (
            stands_in_names(word, self.vocabulary) or is_name(word, self.vocabulary)
        ):
            return Entry(word, "name")
        entry = self.entry(word) or self._done(word) or self._thing_of_a_named_one(word)
        if not entry and len(word) >= _OWN and self.vocabulary.says(word):
            return Entry(word, "kept")
        if entry and self.language.joined:
            begins, ends = not before.isalnum(), not after.isalnum()
            if entry.kind == "mark":
                return None if begins else entry
            alone = ends or entry.kind != "small" or entry.english == "my"  # 울엄마
            return entry if len(word) > 1 or (begins and alone) else None
        return entry

    def _begins_a_verb(self, at: int, stop: int) -> bool:
        """Whether text[at:stop], a word, is what somebody does: 낚시 of 낚시하는."""
        if self.text[at:stop] not in self.words.entries:
            return False
        longer = (self.text[at:end] for end in range(stop + 1, stop + _MOST_OF_ENDINGS + 1))
        found = (self.words.entries.get(one) or self._done(one) for one in longer)
        return any(one is not None and one.kind == "action" for one in found)

    def _done(self, word: str) -> Entry | None:
        """The entry of a verb with another ending: 요리하고, for 요리하는."""
        entries = map(self.entry, self.language.forms(word)[1:])
        return next((one for one in entries if one and one.kind == "action"), None)

    def _thing_of_a_named_one(self, word: str) -> Entry | None:
        """A compound of two things, where the first is a name, too: 두부찌개 is no stew of Dubu,
        but 두부스타일 is a style of that name.
        """
        for at in range(2, len(word) - 1) if self.language.joined else ():
            first, last = (self.words.entries.get(one) for one in (word[:at], word[at:]))
            if not (first and last and first.kind == last.kind == "thing"):
                continue
            if last.english == _STYLE:
                continue
            if name_read(word[:at], self.language, self.words, self.vocabulary):
                return Entry(f"{first.english} {last.english}", "thing")
        return None

    def _pieces(
        self, best: list[tuple[float, int, Entry | None]], text: str, start: int
    ) -> Iterator[Item]:
        pieces: list[tuple[int, int, Entry | None]] = []
        stop = len(text)
        while stop:
            _, at, entry = best[stop]
            joins = entry is None and pieces and pieces[-1][2] is None
            if joins and " " not in (text[at], text[pieces[-1][0]]):
                pieces[-1] = (at, pieces[-1][1], None)
            else:
                pieces.append((at, stop, entry))
            stop = at
        for at, stop, entry in reversed(pieces):
            if entry:
                yield Item(entry.english, entry.kind, start + at, start + stop)
            elif text[at] != " " and not self._is_grammar(text[at:stop]):
                yield self.as_it_is(start + at, start + stop)

    def _is_grammar(self, letters: str) -> bool:
        return bool(self.language.grammar and self.language.grammar.fullmatch(letters))
