"""Requests in languages without spaces, or with endings joined to words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...lexicon.languages import Entry
from .bases import SHORT_BASES
from .names import is_name, name_heard, name_read, stands_apart, stands_in_names
from .reader import LATIN, Item, Reader

_UNSPACED = re.compile(
    rf"(?P<kept><[^<>\n]*>|[{LATIN}][{LATIN}\d_]*(?:[.'-]?[{LATIN}\d_]+)*"
    rf"|\d+(?:[./-]\d+)+|\d+[{LATIN}][{LATIN}\d_]*)"
    rf"|(?P<word>(?!\d+\.\d)[^\W_{LATIN}](?: *(?!\d+\.\d)[^\W_{LATIN}])*)|(?P<sign>[^\w\s])"
)
_STYLE = "style"
_MOST_OF_ENDINGS = 3
"""The most letters looked at behind a word that may begin a verb."""
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


class Unspaced(Reader):
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
