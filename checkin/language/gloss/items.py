"""A request cut into words of its language, each with its English."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator

from ...catalog.vocabulary import Vocabulary
from ...lexicon import CARDINALS
from ...lexicon.english import rows
from ...lexicon.languages import Dictionary, Entry, Profile
from ...lexicon.spelling import plain
from .bases import BASES
from .names import is_name, stands_in_names
from .reader import LATIN, NAMED_KINDS, Item, Reader
from .unspaced import Unspaced

NUMBER = "#"
"""A number in a phrase of the dictionary: "vor # tagen"."""
_SPACED = re.compile(
    rf"(?P<kept><[^<>\n]*>|0,\d{{1,2}}(?![\d,])|[\d_][\w.]*(?:-\w+)*"
    rf"|[{LATIN}]+[\d_](?:\w|\.(?=\w))*(?:-\w+)*"
    rf"|[{LATIN}]+[-.]?[\w.-]*[\d_][\w]*)"
    r"|(?P<word>[^\W\d_]+'?)|(?P<sign>(?!(?<=\w)-\w)[^\w\s])"
)
_HANGUL_PART = re.compile("[\u3131-\u318e]")
_SIGNS = str.maketrans(
    "\u3001\u3002\u300c\u300d\u300e\u300f\u3010\u3011\u30fb\xbf\xa1", ',.""""() ' + "  "
)
_IN_COMPOUNDS = NAMED_KINDS | {"model", "time"}
_MONTHS = frozenset(rows("times", "months"))
_MYSELF = "myself"
_DOING = "doing"
"""The English of a verb that the dictionary lacks, by its ending (`Profile.doing`)."""
_LEAST, _MOST = 3, 40
"""Letters of the shortest part of a compound, and of the longest compound."""


def items_of(
    request: str, language: Profile, words: Dictionary, vocabulary: Vocabulary
) -> list[Item]:
    """The words of a request, in order."""
    text = "".join(map(_narrow, plain(request))).translate(_SIGNS)
    reader = _Spaced if language.spaced else Unspaced
    return list(reader(text, language, words, vocabulary).read())


def _narrow(letter: str) -> str:
    """A letter, digit or sign of full width as a plain one; parts of Hangul as they are."""
    found = letter if letter.isascii() else unicodedata.normalize("NFKC", letter)
    return found if len(found) == 1 and not _HANGUL_PART.match(letter) else letter


class _Spaced(Reader):
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
                    yield from self._said(entry, tokens[place : place + count])
                else:
                    yield from self._compound(token[0], token.start())
            place += count

    def _said(self, entry: Entry, tokens: list[re.Match[str]]) -> Iterator[Item]:
        """A phrase in English, as one; oneself and a small word each: "moi | et"."""
        words = entry.english.split()
        if len(words) == len(tokens) and _MYSELF in (words[0], words[-1]):
            for word, token in zip(words, tokens, strict=True):
                yield Item(word, entry.kind, *token.span())
            return
        english = entry.english.replace(NUMBER, self._number_in(tokens))
        yield Item(english, entry.kind, tokens[0].start(), tokens[-1].end())

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
    return first.english in _MONTHS and last.kind in NAMED_KINDS
