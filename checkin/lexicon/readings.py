"""How names in Japanese, Chinese and Korean signs are read, to find those in Latin letters.

小夜 may be read as "sayo", "koyoru", ..., and 엄마 is written "eomma" or "umma": a name of the
library tells which of them is meant.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache

from .data import phrases_in, read
from .languages import FOLDER, LOANWORDS, NOTHING, READINGS, SPELT_OUT, dictionary
from .spelling import is_english

WITH_READINGS = ("ja", "zh", "ko")
"""The languages whose signs have readings."""
_SPELT = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        (r"(?<![kstnhmyrwgzdbp])si", "shi"),
        (r"zi|di(?!n)", "ji"),
        (r"ti", "chi"),
        (r"tu", "tsu"),
        (r"(?<![scf])hu", "fu"),
        (r"sy", "sh"),
        (r"ty|cy", "ch"),
        (r"[zj]y|dy", "j"),
        (r"dz|du", "zu"),
        (r"m(?=[bp])", "n"),
        (r"o[uoh](?![aeiou])|ou", "o"),
        (r"uu", "u"),
        (r"ei", "e"),
        (r"tch", "ch"),
        (r"([kstpgzdb])\1", r"\1"),
    )
)
"""One spelling for each sound: "tumugi" is "tsumugi", "yuuka" and "yuka", "otaku" and "ohtaku"."""
_VOICED = tuple(
    (start, voiced)
    for start, all_voiced in (
        ("ts", "z"), ("sh", "j"), ("ch", "j"), ("k", "g"), ("s", "z"), ("t", "d"), ("h", "bp"),
        ("f", "bp"),
    )
    for voiced in all_voiced
)  # fmt: skip
"""(how a reading begins, how it may begin inside a name): "kami" is "gami" in 石上."""
_STOPS = ("tsu", "chi", "ku", "ki")
"""Endings that may only double what follows: 学校 is "gakkou"."""
_AGAIN = "々"
_SIGNS = re.compile("[\u3041-\u30ff\u3005\u4e00-\u9fff]+")
_HANGUL = re.compile("[\uac00-\ud7a3]+")
_DIGITS = "0123456789"
_UNUSUAL = 1
"""How many parts of a name that is also a word may be written in another way than the usual."""
_MOST_SPELT = 10_000
"""How many spellings are kept: a sign of many readings stands in many parts of a request."""
_MOST_BEGUN = 24
"""How many beginnings of names are followed: no more than a sign has readings."""
_LONGEST_READ = 3
"""Signs of the longest word that is read as a whole."""
_LONGEST_GIVEN = 3
"""Signs of the longest given name in Chinese."""
_SPELT_OUT = re.compile(r"(?=.*[^aeiou].)[a-z]{1,4}\d{0,4}")
_SOUNDED = re.compile(r"[a-z]{3,}(?:1000?)?")
"""Words that may be said letter by letter, and as English: cb750, citi100."""
_KANA = re.compile("[\u3041-\u30ff]")
_SYLLABLES = re.compile("(?:(?:[kgsztdnhbpmyrwfj]|[kgnhbpmr]y|[sc]h|ts|[kstp]{2})?[aeiou]|n)+")
"""How names in Japanese are written in Latin letters."""


@lru_cache(_MOST_SPELT)
def spelt(name: str) -> str:
    """A name in Latin letters in one spelling of its sounds."""
    for pattern, to in _SPELT:
        name = pattern.sub(to, name)
    return name


@cache
def readings(code: str, file: str = READINGS) -> Mapping[str, tuple[str, ...]]:
    """Sign, or word -> its readings in Latin letters, in a language."""
    said = read(FOLDER / code / file)
    return {sign: phrases_in(words) for sign, words in said.items()}


@cache
def _parts_of_syllables(file: str) -> Mapping[str, tuple[str, ...]]:
    """Some parts of Hangul syllables, or digits -> how names write them, the usual way first."""
    return {
        unicodedata.normalize("NFD", parts): tuple("" if one == NOTHING else one for one in written)
        for parts, written in readings("ko", file).items()
    }


@cache
def _longest_part(file: str) -> int:
    return max(map(len, _parts_of_syllables(file)))


def is_hangul(word: str) -> bool:
    """Whether a word is written in Korean syllables."""
    return _HANGUL.fullmatch(word) is not None


def in_kana(word: str) -> str:
    """A word in kana in Latin letters; one in other signs as it is."""
    said, at = "", 0
    while at < len(word):
        if not _KANA.fullmatch(word[at]) or not (piece := next(_in_japanese(word, at), None)):
            return word
        at, said = piece[0], said + piece[1]
    return said


def initials(word: str) -> set[str]:
    """What a word in Chinese characters, or its pinyin, may be abbreviated to: "mmq" for 马面裙;
    digits behind it stay. Empty for one of other letters.
    """
    signs = word.rstrip(_DIGITS)
    if signs.isascii():
        return {_first_letters(one) + word[len(signs) :] for one in [_syllables(signs)] if one}
    said = [{one[0] for one in readings("zh").get(sign, ())} for sign in signs]
    return {"".join(one) + word[len(signs) :] for one in itertools.product(*said)}


def _first_letters(syllables: tuple[str, ...]) -> str:
    return "".join(one[0] for one in syllables)


def _syllables(word: str) -> tuple[str, ...]:
    """The syllables of pinyin, two or more, that a word is written in; empty where it is none."""
    ends: list[tuple[str, ...] | None] = [()]
    for stop in range(1, len(word) + 1):
        found = (
            (*before, word[at:stop])
            for at in range(max(0, stop - 6), stop)
            if (before := ends[at]) is not None and word[at:stop] in _pinyin()
        )
        ends.append(min(found, key=len, default=None))
    whole = ends[-1] or ()
    return whole if len(whole) > 1 else ()


@cache
def _pinyin() -> frozenset[str]:
    return frozenset(one for said in readings("zh").values() for one in said if len(one) > 1)


class Names:
    """Names in Latin letters, to be found as words of a language are read: "ja", "zh" or "ko", by
    a file of its readings.
    """

    def __init__(self, names: Iterable[str], code: str, file: str = READINGS) -> None:
        self.code, self._file = code, file
        self._spelt: Callable[[str], str] = spelt if code == "ja" else str
        self._pieces = _in_japanese if code == "ja" else _in_chinese
        self._begun = lru_cache(_MOST_SPELT)(self._begins_as)
        self._names = defaultdict[str, list[str]](list)
        for name in names:
            self._names[self._spelt(name)].append(name)
        self._begins = {name[:end] for name in self._names for end in range(1, len(name) + 1)}

    def alike(self, word: str, usual: bool = False, least: int = 2) -> list[str]:
        """Those that sound as a word in Latin letters, or as which one of at least so many signs
        may be read; the one that came last first. In Korean those that are written in the usual
        way, or nearly so, come first, and with `usual` only these.
        """
        if self.code == "ko":
            if not (found := self._written_for(word)):
                return []
            named = [one for names in self._names.values() for one in names if one in found][::-1]
            near = [one for one in named if found[one] <= _UNUSUAL]
            return near if usual else near + [one for one in named if one not in near]
        if word.isascii():
            spelt_so = {self._spelt(word)} if _SYLLABLES.fullmatch(word) else set[str]()
        else:
            spelt_so = self._readings_of(word) if len(word) >= least else set()
        return self._names.get(spelt_so.pop(), [])[::-1] if len(spelt_so) == 1 else []

    def given(self, word: str) -> str | None:
        """The name that a given name in Chinese characters ends, behind a family name of one
        syllable: "zhudundun" for 墩墩.
        """
        if not 1 < len(word) <= _LONGEST_GIVEN:
            return None
        said = itertools.product(*(readings("zh").get(sign, ()) for sign in word))
        return next((self._given[one] for one in map("".join, said) if one in self._given), None)

    @cached_property
    def _given(self) -> dict[str, str]:
        return {
            name[end:]: name
            for name in self._names
            for end in range(2, len(name) - 3)
            if name[:end] in _pinyin() and _syllables(name[end:])
        }

    def _readings_of(self, word: str) -> set[str]:
        read = self._begun(word, len(word)) if _SIGNS.fullmatch(word) else ()
        return set(map(self._spelt, read)) & self._names.keys()

    def _begins_as(self, word: str, end: int) -> frozenset[str]:
        """Beginnings of names that word[:end] may be read as. A request is cut into many words that
        begin alike: `_begun` keeps what was read.
        """
        if not end:
            return frozenset({""})
        found = set[str]()
        for at in range(max(0, end - _LONGEST_READ), end):
            ways = {piece for stop, piece in self._pieces(word, at) if stop == end}
            for before in self._begun(word[: at + 1], at) if ways else ():
                longer = (before + way for way in ways)
                found.update(one for one in longer if self._spelt(one) in self._begins)
        return frozenset(sorted(found)[:_MOST_BEGUN])

    def _written_for(self, word: str) -> dict[str, int]:
        """Name -> in how many parts it is not the usual way to write a word in Hangul."""
        table, parts = _parts_of_syllables(self._file), unicodedata.normalize("NFD", word)
        if not is_hangul(word.rstrip(_DIGITS)):
            return {}
        longest = _longest_part(self._file)
        said: list[dict[str, int]] = [{"": 0}, *({} for _ in parts)]
        for at, begun in enumerate(said[:-1]):
            for end in range(at + 1, min(at + longest, len(parts)) + 1) if begun else ():
                for number, piece in enumerate(table.get(parts[at:end], ())):
                    for before, unusual in begun.items():
                        longer = before + piece
                        if not longer or longer in self._begins:
                            least = min(unusual + (number > 0), said[end].get(longer, len(parts)))
                            said[end][longer] = least
        return {one: unusual for one, unusual in said[-1].items() if one in self._names}


def names_heard(names: Sequence[str]) -> tuple[Names, Names]:
    """Words of names as Korean says them letter by letter (cb750 is 씨비750), those that are no
    English ones, and as it writes English words (juggernaut is 저거너트).
    """
    spelt_out = [one for one in names if _SPELT_OUT.fullmatch(one) and not is_english(one)]
    sounded = filter(_SOUNDED.fullmatch, names)
    return Names(spelt_out, "ko", SPELT_OUT), Names(sounded, "ko", LOANWORDS)


def _in_chinese(word: str, at: int) -> Iterator[tuple[int, str]]:
    return ((at + 1, one) for one in readings("zh").get(word[at], ()))


def _in_japanese(word: str, at: int) -> Iterator[tuple[int, str]]:
    """(where it ends, how it is read) of what may stand at a place of a word."""
    letters = dictionary("ja").letters
    for end in (at + 2, at + 1):
        if end <= len(word) and (kana := letters.get(word[at:end])) is not None:
            yield end, kana.replace("-", "")
            return
    for end in (at + 3, at + 2):
        if end <= len(word):
            yield from ((end, whole) for whole in readings("ja").get(word[at:end], ()))
    sign = word[at - 1 : at] if word[at] == _AGAIN else word[at]
    for reading in readings("ja").get(sign, ()):
        yield at + 1, reading
        for start, voiced in _VOICED if at else ():
            if reading.startswith(start):
                yield at + 1, voiced + reading.removeprefix(start)
        for stop in _STOPS if at + 1 < len(word) else ():
            if reading.endswith(stop) and len(reading) > len(stop):
                yield at + 1, reading.removesuffix(stop)
