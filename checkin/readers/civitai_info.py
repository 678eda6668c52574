"""`<model>.civitai.info`: the model version object of Civitai's API, as Civitai Helper saves it."""

from __future__ import annotations

import re
from typing import Any

from .file_name import SETTING, without_base, without_other_numbers
from .json_file import member, objects, read_object
from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .reader import Reader
from .strength import recommended_strength, said_strength
from .tags import sort_tags

ENDING = ".civitai.info"
_ENDS = r"(?![A-Za-z0-9]|\.\d)"
_TAGGED = re.compile(rf"(?<![A-Za-z0-9])v(?:er|ersion)?[ .]?(\d+(?:[._]\d+)*){_ENDS}", re.I)
_PLAIN = re.compile(
    rf"(?<![A-Za-z0-9.])(\d{{1,2}}(?:\.\d+)*){_ENDS}"
    r"(?! ?(?:steps?|epochs?|mb|dim|rank|weight|images)\b)",
    re.I,
)
_PONY = re.compile(r"\bpony(?: ?diffusion)?(?: ?xl)? ?v?6\b", re.I)
"""A base model whose version is no version of what was made for it."""
_KINDS = {
    "lora": "lora",
    "locon": "lora",
    "lycoris": "lora",
    "dora": "lora",
    "checkpoint": "checkpoint",
}


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar. Raises UnreadableFile when it is broken."""
    return version_fields(read_object(model.sidecars[ENDING]))


def version_fields(version: dict[str, Any]) -> Fields:
    """The card fields in a model version object.

    `createdAt` is when the version was made on the site.
    """
    title = f"{member(version, 'model', 'name') or ''} {version.get('name') or ''}"
    tags = member(version, "model", "tags")
    subjects, styles = sort_tags(tags, title)
    about = (
        text_of(version.get("description")),
        text_of(member(version, "model", "description")),
    )
    description = " ".join(text for text in about if text)
    return {
        "kind": kind_of(member(version, "model", "type")),
        "title": title.strip(),
        "tags": tags,
        # Tools also write what the site does not have.
        "origin": "downloaded" if version.get("id") or version.get("modelId") else None,
        "triggers": version.get("trainedWords"),
        "variants": version.get("trainedWords"),
        "subjects": subjects,
        "styles": styles,
        "description": description,
        "created_at": version.get("createdAt") or version.get("publishedAt"),
        "version": number_in(version.get("name")),
        "base_model": version.get("baseModel"),
        "sha256": _sha256(version.get("files")),
        "strength": recommended_strength(
            *(
                member(version, "settings", key)
                for key in ("strength", "minStrength", "maxStrength")
            )
        )
        or said_strength(description),
    }


def kind_of(model_type: object) -> str | None:
    """Either "checkpoint" or "lora" for Civitai's name of a model type; None for other types."""
    return _KINDS.get(str(model_type).casefold())


def number_in(name: object) -> str | None:
    """The number in a version's name: "2.1" for "v2.1 (baked VAE)", "2" for "SD 1.5 v2".

    A number with a "v" comes first: "Illustrious 2.0 v1" is version 1.
    """
    text = SETTING.sub(" ", _PONY.sub(" ", str(name or "")[:200]))
    text = without_other_numbers(without_base(text))
    found = _TAGGED.search(text) or _PLAIN.search(text)
    return found[1].replace("_", ".") if found else None


def _sha256(files: object) -> str | None:
    """The hash of the version's main file.

    That is the file that Civitai marks as primary, else the first.
    """
    listed = sorted(objects(files), key=lambda file: file.get("primary") is not True)
    return member(listed[0], "hashes", "SHA256") if listed else None


READERS = (
    Reader(
        "civitai.info",
        "civitai.info",
        read,
        {
            "triggers": 70,
            "variants": 70,
            "title": 30,
            "tags": 20,
            "origin": 10,
            "subjects": 30,
            "styles": 20,
            "description": 60,
            "created_at": 50,
            "version": 30,
            "kind": 70,
            "base_model": 70,
            "sha256": 40,
            "strength": 35,
        },
        (ENDING,),
    ),
)
