"""The selectors that score every card of a library, over all words that a card has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...checkin import Card, Repository
from ...checkin.catalog.sparse_card import words_of
from ...checkin.retrieval.fuse import fuse, ranks
from ..selection.scorers import Scorer, by_meaning, by_words, random_card, stylus

if TYPE_CHECKING:
    import numpy as np


def text_of(card: Card) -> str:
    """Return the text of a card: all words by which its owner could mean it.

    It holds the names of the file and of the user, title, triggers, tags, description and captions.
    What says most comes first: the packaged embedder reads the first 256 tokens.
    """
    said: Sequence[Sequence[str]] = (
        (card.name.replace("_", " "), *card.names),
        (card.title,),
        card.triggers,
        card.tags,
        (card.description,),
        tuple(card.captions),
    )
    parts = (", ".join(filter(None, texts)) for texts in said)
    return ". ".join(filter(None, parts))


bm25 = by_words(lambda card: words_of(text_of(card)))
"""BM25 over the text of a card."""
dense = by_meaning(text_of)
"""Cosine of the query and the text of a card, by the packaged MiniLM."""


def rrf(text: str, repository: Repository) -> np.ndarray:
    """BM25 and dense, fused by reciprocal ranks; cards that share no word have no rank in BM25."""
    import numpy as np

    words = [score or None for score in bm25(text, repository).tolist()]
    return np.array(fuse(ranks(words), ranks(dense(text, repository).tolist())))


SCORING: dict[str, Scorer] = {
    "bm25": bm25,
    "dense": dense,
    "rrf": rrf,
    "stylus": stylus,
    "random": random_card,
}
"""Selectors that score every card."""
