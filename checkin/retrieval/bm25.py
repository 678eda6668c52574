"""Ranking by words: BM25, by the package rank-bm25."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec


def bm25_installed() -> bool:
    """Whether the package is there; without it, nothing is ranked by words."""
    return find_spec("rank_bm25") is not None


def bm25(query: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """BM25+ scores of texts, each given as its words (Lv and Zhai, 2011).

    Okapi's rarity of a word is 0 where half of the texts have it: of two texts, no word would
    count. A score is 0 where a text has no word of the query. Raises ModuleNotFoundError without
    the package rank-bm25.
    """
    words = sorted(set(query))
    if not any(texts) or not words:
        return [0.0] * len(texts)
    from rank_bm25 import BM25Plus

    scores = BM25Plus(texts).get_scores(words).tolist()
    shared = [not set(words).isdisjoint(text) for text in texts]
    return [score if has else 0.0 for score, has in zip(scores, shared, strict=True)]
