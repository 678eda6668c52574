"""Readers: what a model's own file, and the files beside it, say about it.

A new source is a file and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import (
    a1111,
    additional_networks,
    ai_toolkit,
    civitai_info,
    file_name,
    file_time,
    kohya,
    lora_manager,
    markdown,
    modelspec,
    onetrainer,
    previews,
    rgthree,
    sidecar,
    stability_matrix,
    swarm,
    tensors,
    text_file,
)
from .model_file import Fields, ModelFile, Report


@dataclass(frozen=True)
class Reader:
    """One source of card fields. `fields.PRIORITY` says which of them it may fill."""

    name: str
    source: str
    """What a card's `sources` call it."""
    read: Callable[[ModelFile, Report], Fields]
    """May raise ValueError: then the source is left out, with a notice."""
    endings: tuple[str, ...] = ()
    """Of a sidecar: what follows the model's name without its ending, in lower case; the first that
    is there is read. Empty: it reads the model file itself.
    """


READERS = (
    Reader("sidecar", "sidecar", sidecar.read, (sidecar.ENDING,)),
    Reader("generated", "generated", sidecar.read_generated, (sidecar.ENDING,)),
    Reader("modelspec", "safetensors", modelspec.read),
    Reader("usage_hint", "safetensors", modelspec.read_hint),
    Reader("kohya", "safetensors", kohya.read),
    Reader("captions", "captions", kohya.read_captions),
    Reader("ai_toolkit", "safetensors", ai_toolkit.read),
    Reader("onetrainer", "safetensors", onetrainer.read),
    Reader("ssmd", "safetensors", additional_networks.read),
    Reader("header_pictures", "safetensors", previews.read_in_header),
    Reader("tensors", "safetensors", tensors.read),
    Reader("swarm", "swarm.json", swarm.read, (swarm.ENDING,)),
    Reader("a1111", "a1111", a1111.read, (a1111.ENDING,)),
    Reader("text", "text", text_file.read, text_file.ENDINGS),
    Reader("metadata.json", "metadata.json", lora_manager.read, (lora_manager.ENDING,)),
    Reader("civitai.info", "civitai.info", civitai_info.read, (civitai_info.ENDING,)),
    Reader("cm-info", "cm-info.json", stability_matrix.read, (stability_matrix.ENDING,)),
    Reader("rgthree", "rgthree", rgthree.read, rgthree.ENDINGS),
    Reader("markdown", "markdown", markdown.read, (markdown.ENDING,)),
    Reader("readme", "readme", markdown.read_readme, (markdown.README,)),
    Reader("file_name", "file name", file_name.read),
    Reader("file_time", "file time", file_time.read),
)
SIDECAR_ENDINGS = tuple(
    dict.fromkeys(end for reader in READERS for end in reader.endings if end != markdown.README)
)
FOLDER_SIDECAR = markdown.README
"""In lower case, the file that describes a model alone in its folder."""
