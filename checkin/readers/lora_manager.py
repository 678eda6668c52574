"""`<model>.metadata.json` of ComfyUI-Lora-Manager.

It holds what Civitai says, and what the user changed of it.
"""

from __future__ import annotations

from typing import Any

from .civitai_info import kind_of, version_fields
from .json_file import parse_object, read_object
from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .reader import Reader
from .strength import recommended_strength
from .tags import sort_tags

ENDING = ".metadata.json"


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar.

    Its `modified` is when the file was imported, so it is not used.
    """
    data = read_object(model.sidecars[ENDING])
    civitai = data.get("civitai")
    found = version_fields(civitai) if isinstance(civitai, dict) else {}
    if not data.get("from_civitai", True):  # its own trigger words are kept under "civitai", too
        found.pop("origin", None)
    subjects, styles = sort_tags(data.get("tags"), str(data.get("model_name") or ""))
    about = [text_of(data.get(key)) for key in ("notes", "modelDescription")]
    tips = parse_object(data.get("usage_tips"))
    own = {
        "title": data.get("model_name"),
        "tags": data.get("tags"),
        "kind": kind_of(data.get("sub_type") or data.get("model_type")),
        "triggers": data.get("trainedWords"),
        "variants": data.get("trainedWords"),
        "subjects": subjects,
        "styles": styles,
        "description": " ".join(text for text in about if text),
        "base_model": data.get("base_model"),
        "sha256": data.get("sha256"),
        "strength": _strength(tips),
        "clip_skip": tips.get("clip_skip"),
    }
    return found | {name: value for name, value in own.items() if value}


def _strength(tips: dict[str, Any]) -> Any:
    """What the user noted as the strength, or as its range."""
    return recommended_strength(
        tips.get("strength"), tips.get("strength_min"), tips.get("strength_max")
    ) or recommended_strength(None, tips.get("strength_range"))


READERS = (
    Reader(
        "metadata.json",
        "metadata.json",
        read,
        {
            "triggers": 50,
            "variants": 50,
            "title": 20,
            "tags": 10,
            "origin": 20,
            "subjects": 20,
            "styles": 10,
            "description": 50,
            "created_at": 40,
            "version": 20,
            "kind": 60,
            "base_model": 60,
            "sha256": 10,
            "strength": 10,
            "clip_skip": 10,
        },
        (ENDING,),
    ),
)
