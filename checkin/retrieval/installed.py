"""Embedding models in the download cache of this machine."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
"""The small model that ranks by meaning, by its name on the Hugging Face hub."""

MINILM_FILES = (
    "1_Pooling/config.json",
    "config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "model.safetensors",
    "modules.json",
)
"""What sentence-transformers reads of it. modules.json is last: it marks a model as downloaded."""

MINILM_BYTES = 91_340_000
"""About the size of these files."""


def cache_folder() -> Path:
    """The folder in which sentence-transformers looks for downloaded models.

    ModuleNotFoundError is raised without that library.
    """
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(os.environ.get("SENTENCE_TRANSFORMERS_HOME") or HF_HUB_CACHE)


def model_folder(name: str) -> Path:
    """The folder of the cache for all versions of the model `name`, such as "owner/name"."""
    return cache_folder() / f"models--{name.replace('/', '--')}"


def downloaded_folder(name: str) -> Path | None:
    """The folder with the files of the model `name` as they were downloaded last, if they were."""
    versions = model_folder(name)
    newest = versions / "refs" / "main"
    if not newest.is_file():
        return None
    folder = versions / "snapshots" / newest.read_text("utf-8").strip()
    return folder if folder.is_dir() else None


def downloaded_embedders() -> list[str]:
    """Names of the sentence-transformers models in the download cache; [] without that library."""
    if find_spec("sentence_transformers") is None:
        return []
    # Only sentence-transformers models have a modules.json.
    found = cache_folder().glob("models--*/snapshots/*/modules.json")
    folders = {file.parents[2].name.removeprefix("models--") for file in found}
    return sorted(name.replace("--", "/") for name in folders)


def minilm_downloaded() -> bool:
    """Whether the download cache has all files of MINILM."""
    if find_spec("huggingface_hub") is None:  # sentence-transformers without what it needs
        return False
    folder = downloaded_folder(MINILM)
    return folder is not None and all((folder / name).is_file() for name in MINILM_FILES)
