"""Ranking by meaning: cosine similarity of sentence embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

from .embedder import embed_query, embed_texts, embedder_identity
from .embeddings import Embeddings


class Dense:
    """Cosine similarity of a query and texts.

    A text is embedded when it is first ranked; its vector is stored by model and text.
    """

    def __init__(
        self, name: str, store: Path | None, collection: Callable[[], Iterable[str]] | None = None
    ) -> None:
        """`name` is as `embedder.embedder_name` returns it; `store` is as in `Embeddings`.

        `collection` returns all texts that may be ranked. When new embeddings are stored, those of
        other texts are dropped: their card is gone or has a new description.
        """
        self.name = name
        self._store = store
        self._collection = collection

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The cosine similarity, -1 to 1, of `query` with each of `texts`.

        Raises ValueError for a model that is not on this machine.
        """
        import numpy as np

        wanted = embed_query(self.name, query)
        key = embedder_identity(self.name)
        vectors = self._embeddings.get(key, texts)
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        if missing:
            new = dict(zip(missing, embed_texts(self.name, missing), strict=True))
            self._embeddings.put(key, new)
            vectors |= new
            if self._collection:
                self._embeddings.keep_only(self._collection())
                self._collection = None  # it does not change, so dropping once is enough
        return (np.stack([vectors[text] for text in texts]) @ wanted).tolist()

    @cached_property
    def _embeddings(self) -> Embeddings:
        return Embeddings(self._store)
