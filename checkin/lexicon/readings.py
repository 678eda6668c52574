"""How names in Japanese and Chinese signs are read, to find those that are in Latin letters.

小夜 may be read as "sayo", "koyoru", ...: a name of the library tells which of them is meant.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from .data import phrases_in, read
from .languages import FOLDER, READINGS, dictionary

WITH_READINGS = ("ja", "zh")
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
_SYLLABLES = re.compile("(?:(?:[kgsztdnhbpmyrwfj]|[kgnhbpmr]y|[sc]h|ts|[kstp]{2})?[aeiou]|n)+")
"""How names in Japanese are written in Latin letters."""


def spelt(name: str) -> str:
    """A name in Latin letters in one spelling of its sounds."""
    for pattern, to in _SPELT:
        name = pattern.sub(to, name)
    return name


@cache
def readings(code: str) -> Mapping[str, tuple[str, ...]]:
    """Sign -> its readings in Latin letters, in a language."""
    said = read(FOLDER / code / READINGS)
    return {sign: phrases_in(words) for sign, words in said.items()}


class Names:
    """Names in Latin letters, to be found as words of a language are read: "ja" or "zh"."""

    def __init__(self, names: Iterable[str], code: str) -> None:
        self._code = code
        self._spelt: Callable[[str], str] = spelt if code == "ja" else str
        self._names = defaultdict[str, list[str]](list)
        for name in names:
            self._names[self._spelt(name)].append(name)
        self._begins = {name[:end] for name in self._names for end in range(1, len(name) + 1)}

    def alike(self, word: str) -> list[str]:
        """Those that sound as a word in Latin letters, or as which one in signs may be read; the
        one that came last first.
        """
        if word.isascii():
            found = {self._spelt(word)} if _SYLLABLES.fullmatch(word) else set()
        else:
            found = self._readings_of(word)
        return self._names.get(found.pop(), [])[::-1] if len(found) == 1 else []

    def _readings_of(self, word: str) -> set[str]:
        pieces = _in_japanese if self._code == "ja" else _in_chinese
        found: set[str] = set()

        def follow(at: int, said: str) -> None:
            if at == len(word):
                found.update({self._spelt(said)} & self._names.keys())
                return
            for end, piece in pieces(word, at):
                if self._spelt(said + piece) in self._begins:
                    follow(end, said + piece)

        if len(word) > 1 and _SIGNS.fullmatch(word):
            follow(0, "")
        return found


def _in_chinese(word: str, at: int) -> Iterator[tuple[int, str]]:
    return ((at + 1, one) for one in readings("zh").get(word[at], ()))


def _in_japanese(word: str, at: int) -> Iterator[tuple[int, str]]:
    """(where it ends, how it is read) of what may stand at a place of a word."""
    letters = dictionary("ja").letters
    for end in (at + 2, at + 1):
        if end <= len(word) and (kana := letters.get(word[at:end])) is not None:
            yield end, kana.replace("-", "")
            return
    sign = word[at - 1 : at] if word[at] == _AGAIN else word[at]
    for reading in readings("ja").get(sign, ()):
        yield at + 1, reading
        for start, voiced in _VOICED if at else ():
            if reading.startswith(start):
                yield at + 1, voiced + reading.removeprefix(start)
        for stop in _STOPS if at + 1 < len(word) else ():
            if reading.endswith(stop) and len(reading) > len(stop):
                yield at + 1, reading.removesuffix(stop)
