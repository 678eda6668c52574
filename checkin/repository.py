"""A repository: the cards of a collection of models, and the ways to look things up in it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from .cards import Card
from .folders import MODEL_ENDINGS
from .gather import RepositoryError, gather
from .index import Progress
from .readers.base_models import shares_layers
from .retrieval.hybrid import Retriever

if TYPE_CHECKING:
    from .retrieval.hybrid import Ranking

Place = str | os.PathLike[str]


class EmptyRepository(RepositoryError):
    """There is no model in the repository."""


class Repository:
    """The cards of a collection of models.

    `cards` are all of them, `notices` say what was found and not used, and why, and `version` is a text that changes
    exactly when a file that was indexed, or the list of them, does.
    """

    def __init__(
        self,
        cards: Sequence[Card],
        notices: Sequence[str] = (),
        version: str = "",
        embedder: str | None = "auto",
        embeddings: Path | None = None,
        reranker: str | None = None,
    ) -> None:
        """A repository of ready cards. `embeddings`: the file in which embeddings are kept.

        Raises RepositoryError where an embedder or reranker is asked for and sentence-transformers is not installed.
        """
        self.cards = tuple(cards)
        self.notices = tuple(notices)
        self.version = version or _digest([card.as_dict() for card in cards])
        self._by_id = {card.id: card for card in cards}
        try:
            self._retriever = Retriever(self.cards, embedder, embeddings, reranker)
        except ValueError as error:
            raise RepositoryError(str(error)) from None

    @classmethod
    def open(
        cls,
        *folders: Place,
        cards: Place | None = None,
        cache: Place | None = None,
        embedder: str | None = "auto",
        reranker: str | None = None,
        progress: Progress | None = None,
    ) -> Repository:
        """Open folders of models, a cards.jsonl, or both.

        `cards`: a cards.jsonl. What its lines say of a model file goes before what the file and its sidecars say.
        `cache`: a JSON file in which the index of these folders is kept, so that the next start reads only what
        changed; embeddings are kept beside it. None: everything is read each time.
        `embedder`: "auto" (the packaged MiniLM, if installed), None (words alone), or a sentence-transformers model on
        this machine, by folder or name ("Qwen/Qwen3-Embedding-0.6B").
        `reranker`: None, or a sentence-transformers CrossEncoder on this machine ("Qwen/Qwen3-Reranker-0.6B"), which
        orders the models that fit best.
        `progress(done, total)` counts model files.

        Raises RepositoryError for a folder or cards.jsonl that is missing or broken, EmptyRepository when no model is
        found.
        """
        places = [Path(os.path.abspath(folder)) for folder in folders]
        lines = Path(os.path.abspath(cards)) if cards else None
        index = Path(cache) if cache else None
        found = gather(places, lines, index, progress)
        if not found.cards:
            raise EmptyRepository(_nothing_in([*places, *([lines] if lines else [])], found.notices))
        embeddings = index.with_suffix(".embeddings.sqlite") if index else None
        return cls(found.cards, found.notices, _digest(found.evidence), embedder, embeddings, reranker)

    def get(self, card_id: str) -> Card:
        """The card with this id. Raises KeyError."""
        return self._by_id[card_id]

    def base_for(self, card: Card) -> Card | None:
        """The checkpoint to load below a LoRA: the one that the card names, else a plain one of the same base model,
        else one that was made from the same one (an SDXL checkpoint for a Pony LoRA).

        A checkpoint with triggers or subjects is personalised and no plain base. None for a checkpoint, and where no
        checkpoint fits.
        """
        if card.kind == "checkpoint":
            return None
        checkpoints = [other for other in self.cards if other.kind == "checkpoint"]
        if card.base:
            named = [other for other in checkpoints if _model_name(other.path or other.id) == _model_name(card.base)]
            if named:
                return named[0]
        fitting = [
            other
            for other in checkpoints
            if not (other.triggers or other.subjects) and shares_layers(card.base_model, other.base_model)
        ]
        same = [other for other in fitting if other.base_model == card.base_model]
        return next(iter(same or fitting), None)

    def rank(self, text: str, cards: Sequence[Card]) -> Ranking:
        """`cards` in the order in which they fit `text`: BM25 and embeddings, fused by reciprocal ranks; reranked.

        Raises ValueError when the embedder or reranker that was asked for is not on this machine.
        """
        return self._retriever.rank(text, cards)


def _model_name(name: str) -> str:
    """The name by which a base is compared: without folder, ending and case."""
    last = PurePath(name).name.casefold()
    return next((last.removesuffix(ending) for ending in MODEL_ENDINGS if last.endswith(ending)), last)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _nothing_in(places: Sequence[Path], notices: Sequence[str]) -> str:
    where = ", ".join(map(str, places)) or "no folder (none was given)"
    skipped = f" Left out: {'; '.join(notices[:3])}{' ...' if len(notices) > 3 else ''}." if notices else ""
    return (
        f"No model found in {where}. A repository is a folder with checkpoints or LoRAs as .safetensors files, "
        f"or a cards.jsonl with one card per line.{skipped}"
    )
