"""`<model>.metadata.json`, as ComfyUI-Lora-Manager writes it."""

from __future__ import annotations

import json

from .civitai_info import version_fields
from .json_file import read_object
from .model_file import Fields, ModelFile, Report
from .tags import sort_tags
from .text import html_to_text, split_list

ENDING = ".metadata.json"


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar. Its `modified` is when the file was imported, so it is not used."""
    data = read_object(model.sidecars[ENDING])
    civitai = data.get("civitai")
    found = version_fields(civitai) if isinstance(civitai, dict) else {}
    subjects, styles = sort_tags(split_list(data.get("tags") or []), str(data.get("model_name") or ""))
    own = {
        "triggers": data.get("trainedWords"),
        "subjects": subjects,
        "styles": styles,
        "description": data.get("notes") or html_to_text(data.get("modelDescription")),
        "base_model": data.get("base_model"),
        "sha256": data.get("sha256"),
        "strength": _strength(data.get("usage_tips")),
    }
    return found | {name: value for name, value in own.items() if value}


def _strength(usage_tips: object) -> float | None:
    """`usage_tips` is a text that holds JSON."""
    try:
        tips = json.loads(usage_tips) if isinstance(usage_tips, str) and usage_tips else {}
    except (ValueError, RecursionError):
        return None
    return tips.get("strength") if isinstance(tips, dict) else None
