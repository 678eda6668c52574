"""Ranking by words: BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

import numpy as np

from ..catalog.columns import ColumnBuilder, MultiValueColumn

K1, B = 1.5, 0.75


class BM25:
    """BM25 scores of texts, given as words, for a query (Robertson and Zaragoza, 2009).

    The inverse document frequency is log((N + 1) / n), as in BM25+ (Lv and Zhai, 2011), which is
    positive for any word. Okapi's is 0 for a word that half of the texts have, and negative for a
    more frequent one: in a collection of two texts, no word would count. Only the texts that are to
    be ranked are scored. The usual packages score all texts, which takes a second to prepare for
    100,000 texts and a tenth of a second for each query.
    """

    def __init__(self, texts: MultiValueColumn) -> None:
        """`texts`: the words of each text, as often as they occur in it."""
        self._texts = texts
        self._numbers = {word: number for number, word in enumerate(texts.values)}
        self._mean_length = len(texts.members) / max(len(texts.offsets) - 1, 1)

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]]) -> BM25:
        """BM25 of texts, each given as its words."""
        column = ColumnBuilder()
        for words in texts:
            column.add(*words)
        return cls(column.sets())

    def scores(self, query: Sequence[str], among: Sequence[int]) -> list[float]:
        """The scores of the texts at the positions `among`; each word of the query counts once.

        A score is 0 if the text has no word of the query, else positive.
        """
        ranked = self._texts.take(np.asarray(among, np.int64))
        rows = np.repeat(np.arange(len(among)), np.diff(ranked.offsets))
        norm = K1 * (1 - B + B * np.diff(ranked.offsets) / max(self._mean_length, 1e-9))
        total = np.zeros(len(among))
        for number in {self._numbers[word] for word in query if word in self._numbers}:
            count = np.bincount(rows[ranked.members == number], minlength=len(among))
            total += self._rarity(number) * count * (K1 + 1) / np.where(count, norm + count, 1)
        return total.tolist()

    def _rarity(self, number: int) -> float:
        """The inverse document frequency of a word, by its position among the distinct words."""
        places = np.flatnonzero(self._texts.members == number)
        holding = len(np.unique(np.searchsorted(self._texts.offsets, places, "right")))
        return log((len(self._texts.offsets)) / holding)
