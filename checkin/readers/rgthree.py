"""`<model file name>.rgthree-info.json`, as rgthree-comfy writes it.

Unlike other sidecars, it has the model's full file name, ending included.
"""

from __future__ import annotations

from typing import Any

from .civitai_info import kind_of, version_fields
from .json_file import member, objects, read_object
from .model_file import Fields, ModelFile, Report
from .reader import Reader
from .strength import recommended_strength

ENDINGS = (".safetensors.rgthree-info.json", ".sft.rgthree-info.json")


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar.

    Its `modified` is when the file came to this machine, so it is not used.
    """
    data = read_object(
        next(model.sidecars[ending] for ending in ENDINGS if ending in model.sidecars)
    )
    civitai = member(data, "raw", "civitai")
    found = version_fields(civitai) if isinstance(civitai, dict) else {}
    own = {
        "title": data.get("name"),
        "kind": kind_of(data.get("type")),
        "triggers": _words(data.get("trainedWords")),
        "variants": _words(data.get("trainedWords")),
        "base_model": data.get("baseModel"),
        "base": data.get("baseModelFile"),
        "sha256": data.get("sha256"),
        "strength": recommended_strength(None, data.get("strengthMin"), data.get("strengthMax")),
    }
    return found | {name: value for name, value in own.items() if value}


def _words(listed: Any) -> list[str]:
    """The words that the user added, then those from Civitai.

    The other words are caption tags, which are not triggers.
    """
    words = objects(listed)
    chosen = [item for item in words if item.get("user")] + [
        item for item in words if item.get("civitai")
    ]
    return list(dict.fromkeys(item["word"] for item in chosen if isinstance(item.get("word"), str)))


READERS = (
    Reader(
        "rgthree",
        "rgthree",
        read,
        {
            "triggers": 60,
            "variants": 60,
            "title": 50,
            "tags": 40,
            "origin": 40,
            "subjects": 50,
            "styles": 40,
            "description": 80,
            "created_at": 60,
            "version": 50,
            "kind": 90,
            "base_model": 90,
            "base": 30,
            "sha256": 20,
            "strength": 15,
        },
        ENDINGS,
    ),
)
