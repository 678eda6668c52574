"""`ss_*` keys: training metadata in the safetensors header.

kohya's sd-scripts and musubi-tuner write them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from pathlib import PureWindowsPath

from ..lexicon import STYLES, SUBJECTS
from ..lexicon.base_models import covers, family, known_family
from ..lexicon.spelling import name_words, stems
from ..lexicon.text import printable
from .caption_counts import caption_counts, caption_shares, pictures_in
from .file_name import stem_of
from .instance_phrase import subject_of
from .model_file import Fields, ModelFile, Report
from .reader import Reader
from .text import MAX_ITEMS
from .training_folders import training_folders

MIN_CAPTION_SHARE = 0.95
"""The least share of a folder's pictures whose captions contain the trigger.

The trigger is what the folder's name gives.
"""
MAX_FOLDERS = 50
"""The most folders of one training that are read."""
_ENDING = re.compile(r"\.(?:safetensors|ckpt|pth?|bin|gguf|sft)$", re.IGNORECASE)
"""That of a model's file; "FLUX.1-schnell" has none."""
_BY_TOOLS = re.compile(
    r"^(?:dimension is resized from|dynamic resize with|split from DyLoRA)[^;]*;? ?"
)
"""What kohya's own tools write before a training comment."""
_LONGEST = 255
"""Letters of the longest name of a file."""


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the `ss_*` keys.

    Caption tags (`ss_tag_frequency`) never become a trigger: they only confirm or refute what a
    folder's name says.
    """
    metadata = model.header.metadata
    base = _said(metadata.get("ss_sd_model_name")) or ""
    triggers = _triggers(metadata)
    return {
        "kind": "lora" if "ss_network_module" in metadata else None,
        "origin": "trained" if _trained_here(metadata) else None,
        "base_model": _base_model(
            _said(metadata.get("ss_base_model_version")), metadata.get("ss_v2"), base
        ),
        # Splits at both separators, so that a path from Windows gives the name on every system.
        "base": PureWindowsPath(base[:1000]).name,
        "title": _trained_as(metadata, model.stem),
        "triggers": [trigger for trigger, _ in triggers],
        "subjects": [subject for _, subject in triggers if subject],
        "description": _BY_TOOLS.sub("", _said(metadata.get("ss_training_comment")) or "") or None,
        "created_at": (
            _said(metadata.get("ss_training_finished_at"))
            or _said(metadata.get("ss_training_started_at"))
        ),
    }


def read_captions(model: ModelFile, report: Report) -> Fields:
    """A guess: captions or tags of nearly all pictures that are a subject or a style.

    The whole caption must be one: "dog" counts, "a dog on grass" does not.
    """
    shares = caption_shares(model.header.metadata)
    often = [printable(tag) for tag, share in shares.items() if share >= MIN_CAPTION_SHARE]
    often = often[:MAX_ITEMS]
    return {
        "captions": shares,
        "subjects": [tag for tag in often if stems(tag) in SUBJECTS],
        "styles": [tag for tag in often if stems(tag) in STYLES and stems(tag) not in SUBJECTS],
    }


def _trained_here(metadata: Mapping[str, str]) -> bool:
    """Whether the header describes a training; a downloaded file's sidecar says more."""
    return any(
        key in metadata for key in ("ss_training_started_at", "ss_training_finished_at", "ss_epoch")
    )


def _trained_as(metadata: Mapping[str, str], stem: str) -> str | None:
    """The name that a model was trained under, where its file has another one since."""
    name = _said(metadata.get("ss_output_name"))
    if not name or len(name) > _LONGEST or stem_of(stem) == stem_of(name):
        return None
    return name


def _said(value: str | None) -> str | None:
    return None if value in ("None", "", None) else value


def _base_model(version: str | None, v2: str | None, base: str) -> str | None:
    """The base model, from the version in the metadata.

    The base's file name may name it more closely ("ponyDiffusionV6XL" for an SDXL model).
    """
    known = family(version) if version else "sd2" if v2 == "True" else None
    file = _ENDING.sub("", PureWindowsPath(base[:1000]).name)  # no folder names it
    named = (known_family(file), known_family(" ".join(name_words(file))))
    closer = (one for one in named if one and one != known and known and covers(known, one))
    return next(closer, known)


def _triggers(metadata: Mapping[str, str]) -> list[tuple[str, str | None]]:
    """(trigger, subject) for each instance folder whose words are a trigger.

    The words were the caption themselves, or occur in nearly all captions.
    """
    frequency = caption_counts(metadata)
    if frequency is None:
        return []  # captions that cannot be read may have replaced the folder's words
    found = []
    folders = (one for one in training_folders(metadata) if one.words and not one.regularises)
    for folder in islice(folders, MAX_FOLDERS):
        captions = frequency.get(folder.name)
        plain = " ".join(folder.words.replace("_", " ").split())
        whole = folder.words if " " in folder.words else plain
        if not captions:
            found.append((folder.words, subject_of(whole)))  # the words were the caption
            continue
        # In captions such as "sks, brown fur", only the first word of the folder occurs; the others
        # are then the class.
        said = [(folder.words, whole), (plain, plain)]
        said += [(one.partition(" ")[0], one) for one in (folder.words, plain)]
        for trigger, words in said:
            if trigger and _share(trigger, captions, folder.pictures):
                found.append((trigger, subject_of(words)))
                break
    return list(dict.fromkeys(found))


def _share(words: str, captions: Mapping[str, int], pictures: int) -> bool:
    """Whether the words occur in the captions of at least MIN_CAPTION_SHARE of the pictures.

    The statistics count captions phrase by phrase. Words without "_" also occur where a caption has
    it in place of a space.
    """
    whole = re.compile(rf"(?<!\w){re.escape(words.casefold())}(?!\w)")
    having = sum(
        number
        for tag, number in captions.items()
        if whole.search(_plain_tag(tag) if "_" not in words else tag.casefold())
    )
    return having >= max(MIN_CAPTION_SHARE * (pictures or pictures_in(captions)), 1)


def _plain_tag(tag: str) -> str:
    r"""A caption tag with spaces and without escapes: "saber (fate)" for saber_\(fate\)."""
    return tag.casefold().replace("\\", "").replace("_", " ")


READERS = (
    Reader(
        "kohya",
        "safetensors",
        read,
        {
            "triggers": 130,
            "title": 130,
            "subjects": 10,
            "description": 110,
            "created_at": 10,
            "origin": 60,
            "kind": 40,
            "base_model": 30,
            "base": 10,
        },
    ),
    Reader("captions", "captions", read_captions, {"captions": 10, "subjects": 110, "styles": 100}),
)
