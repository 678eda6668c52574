"""What notes in Japanese, Chinese or Korean speak of, in English."""

from __future__ import annotations

import re
from functools import cache

from .languages import dictionary

_RUN = re.compile("[\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]+")
_LINK = re.compile("[\u306e\u7684\u3068\u548c]")
"""What joins two words: の, 的, と, 和."""
_CODES = (("ja", re.compile("[\u3041-\u30fa]")), ("ko", re.compile("[\uac00-\ud7a3]")))


def things_in(text: str) -> tuple[str, ...]:
    """The things that a note names in words of their own: "cockatiel" of "ピノ オカメインコ"."""
    words = [word for run in _RUN.findall(text) for word in (run, *_LINK.split(run))]
    return tuple(dict.fromkeys(filter(None, map(_thing, words))))


@cache
def _thing(word: str) -> str:
    """The English of a word that is a thing; "" for any other. Kanji may be of two languages."""
    codes = [code for code, letters in _CODES if letters.search(word)] or ["zh", "ja"]
    entries = (dictionary(code).entries.get(word) for code in codes)
    return next((one.english for one in entries if one and one.kind == "thing"), "")
