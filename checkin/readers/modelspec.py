"""ModelSpec metadata (Stability AI, version 1.0.1), with SwarmUI's additions.

kohya, musubi-tuner, OneTrainer, ComfyUI and SwarmUI write it as `modelspec.*` keys of the
safetensors header.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from ..lexicon.spelling import is_english
from .caption_counts import caption_tags
from .header import Header
from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .reader import Reader
from .tags import sort_tags
from .text import texts_in

_PREFIX = "modelspec."
_KEYWORD = (
    r"(?<!no )\b(?:triggers?|(?:trigger|activation|instance)[ "
    r"-]?(?:word|phrase|token|keyword|text)s?|keywords?)"
)
_HINT = re.compile(
    rf"{_KEYWORD} ?(?:is|are|:|=)? ?['\"`“]([^'\"`“”\n]{{1,200}})['\"`”]|{_KEYWORD} ?[:=] "
    r"?([^.;\n]{1,200})",
    re.I,
)

_BARE = re.compile(
    rf"{_KEYWORD} ((?!\d)[\w-]+(?: (?!\d)[\w-]+){{0,3}})(?=\s*(?:[.,;|(\n]|$| - | \d))", re.I
)
"""Without a colon: "me. trigger dnl33ds man. 0.85"."""
_BEHIND = re.compile(r"\s{2,}|\t| [-\u2013|] |[,;]? (?:strength|weight)\b", re.I)
"""What follows a trigger in a note: "tashaw woman   z image, strength 0.9"."""


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the header's `modelspec.*` keys.

    The date is often local time without a zone.
    """
    return spec_fields(model.header.metadata, model.header)


def read_hint(model: ModelFile, report: Report) -> Fields:
    """The trigger that the header's usage hint names."""
    hint = model.header.metadata.get(f"{_PREFIX}usage_hint", "")
    return {"triggers": trigger_in(hint)}


def trigger_in(hint: str) -> str | None:
    """What a usage hint calls the trigger.

    It is "sks dog" in "Trigger word: sks dog." and in "use keyword 'sks dog'"; behind "trigger"
    alone it begins with a made-up word.
    """
    if found := _HINT.search(hint[:2000]):
        return found[1] or _BEHIND.split(found[2].strip())[0]
    bare = _BARE.search(hint[:2000])
    return bare[1] if bare and not is_english(bare[1].split()[0].casefold()) else None


def spec_fields(values: Mapping[str, object], header: Header) -> Fields:
    """The card fields in the `modelspec.*` keys of `values`, of a model with this header."""
    spec = {
        key.removeprefix(_PREFIX): value
        for key, value in values.items()
        if key.startswith(_PREFIX) and value not in (None, "", "None", "null")
    }
    tags = spec.get("tags")
    triggers = spec.get("trigger_phrase")
    if triggers and _is_all_captions(texts_in(triggers), caption_tags(header.metadata)):
        triggers = None
    subjects, styles = sort_tags(tags, str(spec.get("title", "")))
    named = spec.get("architecture")
    architecture, _, adapter = named.partition("/") if isinstance(named, str) else ("", "", "")
    kind = _kind(architecture, adapter)
    return {
        "kind": kind,
        "origin": "trained" if spec.get("merged_from") else None,
        # The adapter may name the kind of model: SwarmUI writes "Flux.1-dev/kontext".
        "base_model": f"{architecture} {adapter}" if architecture else None,
        "triggers": triggers,
        "title": spec.get("title"),
        "tags": tags,
        "subjects": subjects,
        "styles": styles,
        "description": text_of(spec.get("description")),
        "created_at": spec.get("date"),
        "strength": spec.get("lora_default_weight"),
        # A LoRA's value is that of its training, often less than what its base draws.
        "resolution": spec.get("resolution") if kind == "checkpoint" else None,
    }


def _kind(architecture: str, adapter: str) -> str | None:
    if adapter.casefold().startswith(("lora", "locon", "loha", "lokr", "dora")):
        return "lora"
    return (
        "checkpoint" if architecture and adapter.casefold() in ("", "kontext", "inpaint") else None
    )


def _is_all_captions(words: Sequence[str], captions: Collection[str]) -> bool:
    """Whether the words are just all caption tags.

    SwarmUI writes these in place of the trigger if nobody named one.
    """
    return len(captions) > 1 and {word.casefold() for word in words} >= set(captions)


READERS = (
    Reader(
        "modelspec",
        "safetensors",
        read,
        {
            "triggers": 20,
            "title": 60,
            "tags": 60,
            "subjects": 70,
            "styles": 60,
            "description": 100,
            "created_at": 30,
            "kind": 30,
            "base_model": 20,
            "strength": 40,
            "resolution": 20,
            "origin": 90,
        },
    ),
    Reader("usage_hint", "safetensors", read_hint, {"triggers": 110}),
)
