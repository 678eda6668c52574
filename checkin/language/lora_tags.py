"""LoRAs as other programs write them into a prompt: `<lora:ink_style:0.7>`."""

from __future__ import annotations

import re

from ..catalog.pinned import MAX_STRENGTH, PinnedModel
from ..catalog.reference import Reference

_TAG = re.compile(
    r"<(?:lora|lyco|lycoris):(?P<name>[^<>:\n]{1,200})(?::(?P<strength>-?\d{0,2}(?:\.\d{1,3})?))?"
    r"(?::[^<>\n]{0,40})?>\s*,?\s*",
    re.IGNORECASE,
)


def lora_tags(text: str) -> tuple[tuple[PinnedModel, ...], str]:
    """(the LoRAs that the tags of a prompt pick, the prompt without them).

    A name is that of the file, with or without its folder and ending. The strength is that for the
    model; one for the text encoder behind it is not used, nor what is no number up to MAX_STRENGTH.
    """
    found: dict[str, PinnedModel] = {}
    for tag in _TAG.finditer(text):
        name = re.split(r"[/\\]", tag["name"].strip())[-1].removesuffix(".safetensors")
        said = tag["strength"]
        strength = float(said) if said and re.search(r"\d", said) else None
        if strength is not None and abs(strength) > MAX_STRENGTH:
            strength = None
        if name:
            found.setdefault(name, PinnedModel(Reference(name), strength))
    left = _TAG.sub("", text).strip(" ,\n") if found else text
    return tuple(found.values()), left
