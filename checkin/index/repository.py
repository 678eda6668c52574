"""A repository: the cards of a collection of models, and how to look them up."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..catalog.cards import Card
from ..catalog.selection import Catalogue
from ..catalog.vocabulary import catalogue_of
from ..lexicon.sentences import again, say
from ..retrieval.hybrid import Retriever
from .bases import Bases
from .build_index import RepositoryError, build_index
from .read_models import Progress
from .shared import shared_snapshot
from .snapshot import Snapshot

if TYPE_CHECKING:
    from ..retrieval.hybrid import Ranking

Place = str | os.PathLike[str]
_MAX_NAMED = 3
"""How many files are named if all files that were found were left out."""


class EmptyRepository(RepositoryError):
    """The repository has no model, or none that a request can mean.

    `left_out` is a sentence about the files that were found and left out, and why; or "".
    """

    def __init__(self, why: str, notices: Sequence[str] = ()) -> None:
        files, more = "; ".join(map(again, notices[:_MAX_NAMED])), len(notices) - _MAX_NAMED
        self.left_out = ""
        if more > 0:
            self.left_out = " " + say("Found: {files} and {number} more.", files=files, number=more)
        elif notices:
            self.left_out = " " + say("Found: {files}.", files=files)
        super().__init__(why + self.left_out)


class Repository:
    """The cards of a collection of models.

    `notices` say what was found and left out, and why. `version` is a text that changes exactly
    when an indexed file, or the list of them, changes.
    """

    def __init__(
        self,
        cards: Sequence[Card],
        notices: Sequence[str] = (),
        version: str = "",
        embedder: str | None = "auto",
        embeddings: Path | None = None,
        reranker: str | None = None,
        catalogue: Catalogue | None = None,
    ) -> None:
        """A repository of cards in memory.

        `embeddings`: the file that stores embeddings; `catalogue`: the cards with their facts, if
        these are known already.

        Raises RepositoryError for an embedder or reranker if sentence-transformers is not
        installed.
        """
        self.cards = catalogue.cards if catalogue else tuple(cards)
        self.notices = tuple(notices)
        self.version = version or _digest([card.as_dict() for card in cards])
        self.catalogue: Callable[[], Catalogue] = cache(lambda: catalogue or catalogue_of(cards))
        """The cards with their facts."""
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
        hash_files: bool = False,
        leave_out: Sequence[Place] = (),
        named: bool = False,
    ) -> Repository:
        """Open folders of models, a cards.jsonl, or both.

        - `folders`: a folder that is given twice, also through a link or on Windows in another
          case, counts once.
        - `cards`: a cards.jsonl. What its lines say about a model file overrides what the file and
          its sidecars say.
        - `cache`: the file of the index. With it, the next start reads only what changed, or loads
          the snapshot if nothing did; embeddings are stored next to it. An interrupted scan resumes
          where it stopped. None: everything is read each time.
        - `embedder`: "auto" (MiniLM, if it is on this machine), None (ranking by words alone), or
          a sentence-transformers model on this machine, by folder or name
          ("Qwen/Qwen3-Embedding-0.6B").
        - `reranker`: None, or a sentence-transformers CrossEncoder on this machine
          ("Qwen/Qwen3-Reranker-0.6B"), which orders the models that fit best.
        - `progress(done, total)` counts model files; with `hash_files`, it counts them a second
          time.
        - `hash_files`: compute the SHA-256 of every model file, unless the cache has it; then
          models with the same content count as one model.
        - `leave_out`: folders below the given ones that are skipped.
        - `named`: a person named the file `cache`. It is refused where another program wrote it,
          or where it cannot be used; else such a file is replaced, or left alone with a warning.

        Raises RepositoryError for a folder or cards.jsonl that is missing or broken, and for a file
        that was `named`; EmptyRepository if no model is found.
        """
        places = _distinct(Path(os.path.abspath(folder)) for folder in folders)
        lines = Path(os.path.abspath(cards)) if cards else None
        index = Path(cache) if cache else None
        found = build_index(
            places,
            lines,
            index,
            progress,
            hash_files,
            [Path(os.path.abspath(one)) for one in leave_out],
            named,
        )
        if not found.cards:
            raise EmptyRepository(
                _nothing_in([*places, *([lines] if lines else [])]), found.notices
            )
        embeddings = index.with_suffix(".embeddings.sqlite") if index else None
        return cls._of(found, embedder, embeddings, reranker)

    @classmethod
    def open_shared(
        cls, index: Place, embedder: str | None = "auto", embeddings: Place | None = None
    ) -> tuple[Repository, bytes | None]:
        """Open what another process found, from its index: no folder is looked at.

        Returns also what `generation_of` says of the index while it does not change.
        Raises RepositoryError for an index that is missing, damaged or of another version, and
        EmptyRepository if it has no model.
        """
        found, generation = shared_snapshot(Path(index))
        if not found.cards:
            raise EmptyRepository(_nothing_in([Path(index)]), found.notices)
        stored = Path(embeddings) if embeddings else None
        return cls._of(found, embedder, stored), generation

    @classmethod
    def _of(
        cls,
        found: Snapshot,
        embedder: str | None,
        embeddings: Path | None,
        reranker: str | None = None,
    ) -> Repository:
        catalogue = Catalogue(found.cards, found.ids, found.columns)
        return cls(
            found.cards, found.notices, found.version, embedder, embeddings, reranker, catalogue
        )

    def get(self, card_id: str) -> Card:
        """The card with this id. Raises KeyError."""
        return self.cards[self.catalogue().position_of[card_id]]

    def base_for(self, card: Card, wanted: Mapping[str, str] | None = None) -> Card | None:
        """The checkpoint to load a LoRA on; None if none fits, and for the card of a checkpoint.

        `wanted`: family -> the name of the checkpoint that the user chose for its LoRAs. `Bases.of`
        says what comes first. Raises ValueError if `base:` lines name each other in a circle.
        """
        return None if card.kind == "checkpoint" else self.bases.of(card, wanted or {})

    @cached_property
    def bases(self) -> Bases:
        """What LoRAs can be loaded on."""
        return Bases(self.catalogue())

    def rank(self, text: str, cards: Sequence[Card]) -> Ranking:
        """Order `cards` by how well they fit `text`: by BM25 and embeddings, fused and reranked.

        Raises ValueError if the repository's embedder or reranker is not on this machine.
        """
        return self._retriever.rank(text, cards)


def _distinct(folders: Iterable[Path]) -> list[Path]:
    found: dict[str, Path] = {}
    for folder in folders:
        found.setdefault(os.path.normcase(os.path.realpath(folder)), folder)
    return list(found.values())


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _nothing_in(places: Sequence[Path]) -> str:
    where = ", ".join(map(str, places)) or say("no folder (none was given)")
    return say(
        "No model found in {places}. A repository is a folder with checkpoints or LoRAs as "
        ".safetensors files, or a cards.jsonl with one card per line.",
        places=where,
    )
