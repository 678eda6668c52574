"""`<model>.json`: the user's notes in AUTOMATIC1111's web UI and Forge."""

from __future__ import annotations

from .json_file import read_object
from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .reader import Reader

ENDING = ".json"


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar. A preferred weight of 0 means that none was set."""
    data = read_object(model.sidecars[ENDING])
    if "modelVersions" in data:
        return {}  # SD.Next's
    notes = (text_of(data.get("description")), text_of(data.get("notes")))
    return {
        "triggers": data.get("activation text"),
        "description": " ".join(filter(None, notes)),
        "base_model": data.get("sd version"),
        "strength": data.get("preferred weight") or None,
        "negative": data.get("negative text"),
    }


READERS = (
    Reader(
        "a1111",
        "a1111",
        read,
        {"triggers": 30, "description": 10, "base_model": 120, "strength": 20, "negative": 20},
        (ENDING,),
    ),
)
