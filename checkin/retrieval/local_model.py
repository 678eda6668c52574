"""Sentence-transformers models on this machine; nothing is downloaded."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from typing import Any, Literal

from .installed import downloaded_folder

Role = Literal["embedder", "reranker"]

_HUB_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?")
_OWNER_BY_DEFAULT = {"embedder": "sentence-transformers", "reranker": "cross-encoder"}


def require_library(role: Role, name: str) -> None:
    """Raise ValueError if sentence-transformers, which runs the model `name`, is not installed."""
    if find_spec("sentence_transformers") is None:
        raise ValueError(
            f"{role} {name!r} needs sentence-transformers: pip install 'sentence-transformers>=5.4'"
        )


def load_local(role: Role, name: str) -> Any:
    """Load a SentenceTransformer (embedder) or a CrossEncoder (reranker).

    `name` is a folder or a name on the Hugging Face hub. A downloaded model is loaded by its
    folder: given a name, the hub's client would still send a request. The model runs on the CPU,
    which leaves the GPU's memory to the image model, and in float32: large models are published in
    bfloat16, which many CPUs compute slowly or not at all. Raises ValueError, with the command that
    downloads the model, if it is not on this machine or cannot be loaded.
    """
    folder = local_folder(role, name)
    if folder is None:
        raise ValueError(f"{role} {name!r} is not on this machine. {how_to_get(role, name)}")
    try:
        from sentence_transformers import CrossEncoder, SentenceTransformer

        kind = SentenceTransformer if role == "embedder" else CrossEncoder
        return kind(folder, device="cpu", local_files_only=True).float()
    except Exception as error:  # of broken files, or of a library that another one broke
        raise ValueError(
            f"sentence-transformers cannot load the {role} {name!r} ({error}). Get it anew, or "
            "choose another."
        ) from error


def how_to_get(role: Role, name: str) -> str:
    """What the user can do about a missing model.

    For a name on the hub, that is the command that downloads it; for a folder, another setting.
    """
    if not _is_hub_name(name):
        return "Give the folder that it lies in, or its name on the Hugging Face hub."
    return f"Get it with: hf download {_full_name(role, name)}"


def local_folder(role: Role, name: str) -> str | None:
    """The folder of a model: `name`, where ~ is the home folder, or that of its last download."""
    folder = os.path.expanduser(name)
    if os.path.isdir(folder):
        return folder
    if not _is_hub_name(name):
        return None
    found = downloaded_folder(name) or downloaded_folder(_full_name(role, name))
    return str(found) if found else None


def _is_hub_name(name: str) -> bool:
    return not os.path.isabs(name) and _HUB_NAME.fullmatch(name) is not None


def _full_name(role: Role, name: str) -> str:
    return name if "/" in name else f"{_OWNER_BY_DEFAULT[role]}/{name}"
