"""`<model>.cm-info.json`, as StabilityMatrix writes it.

It holds what Civitai says about the model, and the user's own title and inference defaults.
"""

from __future__ import annotations

from .civitai_info import kind_of, number_in
from .json_file import member, read_object
from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .reader import Reader
from .tags import sort_tags

ENDING = ".cm-info.json"


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar.

    Its `ImportedAt` is when the file came to this machine, so it is not used.
    """
    data = read_object(model.sidecars[ENDING])
    titles = (str(data.get(key) or "") for key in ("UserTitle", "ModelName", "VersionName"))
    title = " ".join(dict.fromkeys(titles))  # a user's title may be the model's
    subjects, styles = sort_tags(data.get("Tags"), title)
    about = (
        text_of(data.get("VersionDescription")),
        text_of(data.get("ModelDescription")),
    )
    usual = member(data, "InferenceDefaults")
    width, height = (member(usual, key) for key in ("Width", "Height"))
    return {
        "kind": kind_of(data.get("ModelType")),
        "title": title.strip(),
        "tags": data.get("Tags"),
        "origin": "downloaded",
        "triggers": data.get("TrainedWords"),
        "variants": data.get("TrainedWords"),
        "subjects": subjects,
        "styles": styles,
        "description": " ".join(text for text in about if text),
        "version": number_in(data.get("VersionName")),
        "base_model": data.get("BaseModel"),
        "sha256": member(data, "Hashes", "SHA256"),
        "resolution": f"{width}x{height}" if width and height else None,
        "steps": member(usual, "Steps") or None,  # 0: not set
        "cfg": member(usual, "CfgScale") or None,
        "sampler": member(usual, "Sampler", "Name"),
        "scheduler": member(usual, "Scheduler", "Name"),
    }


READERS = (
    Reader(
        "cm-info",
        "cm-info.json",
        read,
        {
            "triggers": 80,
            "variants": 80,
            "title": 40,
            "tags": 30,
            "origin": 30,
            "subjects": 40,
            "styles": 30,
            "description": 70,
            "version": 40,
            "kind": 80,
            "base_model": 80,
            "sha256": 30,
            "resolution": 30,
            "steps": 30,
            "cfg": 30,
            "sampler": 30,
            "scheduler": 30,
        },
        (ENDING,),
    ),
)
