"""Embedding models in the download cache of this machine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def downloaded_embedders() -> list[str]:
    """Names of the sentence-transformers models in the download cache; [] without that library."""
    if find_spec("sentence_transformers") is None:
        return []
    from huggingface_hub.constants import HF_HUB_CACHE

    # Only sentence-transformers models have a modules.json.
    found = Path(HF_HUB_CACHE).glob("models--*/snapshots/*/modules.json")
    folders = {file.parents[2].name.removeprefix("models--") for file in found}
    return sorted(name.replace("--", "/") for name in folders)
