"""Metadata readers: what a model's own file, and the files next to it, say about the model.

A new metadata format is a file here that declares `READERS`, and a line in `_MODULES`.
"""

from __future__ import annotations

from importlib import import_module

from .markdown import README
from .reader import Reader

_MODULES = (
    "sidecar",
    "modelspec",
    "kohya",
    "ai_toolkit",
    "onetrainer",
    "additional_networks",
    "previews",
    "tensors",
    "swarm",
    "a1111",
    "text_file",
    "lora_manager",
    "civitai_info",
    "sd_next",
    "stability_matrix",
    "rgthree",
    "example_pictures",
    "markdown",
    "file_name",
    "file_time",
)
READERS: tuple[Reader, ...] = tuple(
    reader for module in _MODULES for reader in import_module(f".{module}", __name__).READERS
)
FOLDER_SIDECAR = README
"""The name, in lower case, of the file that describes the only model of its folder."""
SIDECAR_ENDINGS = tuple(
    dict.fromkeys(end for reader in READERS for end in reader.endings if end != FOLDER_SIDECAR)
)
