"""Readers: what a model's own file, and the files beside it, say about it. A new source is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import a1111, civitai_info, file_name, file_time, kohya, lora_manager, modelspec, sidecar, tensors
from .model_file import Fields, ModelFile, Report


@dataclass(frozen=True)
class Reader:
    """One source of card fields. `fields.PRIORITY` says which of them it may fill."""

    name: str
    source: str
    """What a card's `sources` call it."""
    read: Callable[[ModelFile, Report], Fields]
    """May raise ValueError: then the source is left out, with a notice."""
    ending: str | None = None
    """Of a sidecar: what follows the model's name without its ending. None: read from the model file itself."""


READERS = (
    Reader("sidecar", "sidecar", sidecar.read, sidecar.ENDING),
    Reader("modelspec", "safetensors", modelspec.read),
    Reader("kohya", "safetensors", kohya.read),
    Reader("tensors", "safetensors", tensors.read),
    Reader("civitai.info", "civitai.info", civitai_info.read, civitai_info.ENDING),
    Reader("metadata.json", "metadata.json", lora_manager.read, lora_manager.ENDING),
    Reader("a1111", "a1111", a1111.read, a1111.ENDING),
    Reader("file_name", "file name", file_name.read),
    Reader("file_time", "file time", file_time.read),
)
SIDECAR_ENDINGS = tuple(reader.ending for reader in READERS if reader.ending)
