"""Ranking by words: BM25 over the sparse card (subjects, styles, triggers, version words, words of the file name)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from ..cards import Card
from ..words import singular

_WORD = re.compile(r"v?\d+(?:\.\d+)+|[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of `text`, lower case and singular: "<bear-v4>s" gives bear, v4; a decimal version stays whole."""
    return [singular(word) for word in _WORD.findall(text.casefold())]


def sparse_card(card: Card) -> list[str]:
    """The words by which a card can be found."""
    name = PurePath(card.path).stem if card.path else card.id
    version = f"v{card.version} {card.version} version" if card.version else ""
    return words_of(" ".join((*card.subjects, *card.styles, *card.triggers, version, name)))


class BM25:
    """BM25 scores of texts, given as words, for a query.

    rank-bm25's BM25Plus, whose inverse document frequency log((N + 1) / n) is positive for any word; Okapi's turns
    negative for a word that half the texts hold, and so is 0 for everything in a collection of two. BM25Plus adds the
    same floor to every text for each known word of the query; it is taken off again: 0 means "no word in common".
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        from rank_bm25 import BM25Plus

        self._count = len(texts)
        # rank-bm25 divides by the number of texts and by their mean length.
        self._model = BM25Plus(texts) if any(texts) else None

    def scores(self, query: Sequence[str], among: Sequence[int]) -> list[float]:
        """The scores, 0 or more, of the texts with the numbers `among`; each word of the query counts once."""
        model = self._model
        known = [word for word in dict.fromkeys(query) if model and word in model.idf]
        if model is None or not known or not among:
            return [0.0] * len(among)
        floor = sum(model.idf[word] for word in known) * model.delta
        raw = model.get_batch_scores(known, list(among))
        return [score - floor if score - floor > 1e-9 else 0.0 for score in raw]
