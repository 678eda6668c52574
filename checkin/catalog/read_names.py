"""Names that are those of other models in other letters: in signs, or with umlauts as two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

import numpy as np

from ..lexicon import Phrase
from ..lexicon.readings import WITH_READINGS, Names, in_kana
from ..lexicon.spelling import is_english
from ..lexicon.variants import without_umlauts
from .columns import Array, CategoricalColumn, MultiValueColumn


class _Named(Protocol):
    """What of the columns tells which cards are called alike."""

    @property
    def called(self) -> CategoricalColumn: ...
    @property
    def identity(self) -> MultiValueColumn: ...
    @property
    def kind(self) -> CategoricalColumn: ...
    @property
    def described(self) -> CategoricalColumn: ...
    @property
    def lineage_hash(self) -> Array: ...


def lineages_as_read(columns: _Named) -> Array:
    """int64 [cards]: `lineage_hash`, where that of a name in signs is the one of the same name in
    Latin letters: 小雪_v3 is a build of koyuki_anima; that of kruemel is the one of krümel, and
    that of celt_knot the one of celtknot.

    Its own trigger says how a name is read, else a name of the library. What people described is
    left as it is.
    """
    undescribed = ~columns.described.where(bool)
    return _signed(columns, _one_spelling(columns, undescribed), undescribed)


def _one_spelling(columns: _Named, undescribed: Array) -> Array:
    """The lineages, one for names that differ by spaces, and by umlauts in two letters."""
    found = columns.lineage_hash.copy()
    names, kinds = columns.called, columns.kind.codes.tolist()
    spelt = ["".join(map(_without_umlauts, name)) for name in names.values]
    several = {key for key, count in Counter(spelt).items() if key and count > 1}
    codes = [code for code, key in enumerate(spelt) if key in several]
    known: dict[tuple[int, str], int] = {}
    for card in np.flatnonzero(np.isin(names.codes, codes) & undescribed).tolist():
        key = (kinds[card], spelt[names.codes[card]])
        found[card] = known.setdefault(key, int(found[card]))
    return found


def _without_umlauts(word: str) -> str:
    return word if is_english(word) else without_umlauts(word)


def _signed(columns: _Named, lineages: Array, undescribed: Array) -> Array:
    names, kinds = columns.called, columns.kind.codes.tolist()
    signed = np.flatnonzero(names.where(lambda name: not _is_latin(name)) & undescribed).tolist()
    if not signed:
        return lineages
    found = lineages.copy()
    known: dict[tuple[int, str], int] = {}
    latin = np.flatnonzero(names.where(lambda name: bool(name) and _is_latin(name)) & undescribed)
    positions: list[int] = latin.tolist()
    for card in positions:
        known.setdefault((kinds[card], "".join(names[card])), int(found[card]))
    library = _Readings({one for card in positions for one in ("".join(names[card]), *names[card])})
    for card in signed:
        own = _Readings(filter(str.isascii, columns.identity[card]))
        words = (own.of(word) or library.of(word, least=2) or in_kana(word) for word in names[card])
        found[card] = known.setdefault((kinds[card], "".join(words)), int(found[card]))
    return found


def _is_latin(name: Phrase) -> bool:
    return "".join(name).isascii()


class _Readings:
    """Words in Latin letters that words in signs are read as."""

    def __init__(self, words: Iterable[str]) -> None:
        latin = sorted(word for word in words if word.isalpha() and len(word) > 2)
        self._names = [Names(latin, code) for code in WITH_READINGS]

    def of(self, word: str, least: int = 1) -> str | None:
        """The one that a word of at least so many signs is read as."""
        if word.isascii():
            return None
        return next(
            (name for names in self._names for name in names.alike(word, least=least)), None
        )
