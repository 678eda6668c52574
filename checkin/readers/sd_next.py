"""`<model>.json`: a model of Civitai's API with all its versions, as SD.Next saves it."""

from __future__ import annotations

from typing import Any

from .a1111 import ENDING
from .civitai_info import version_fields
from .json_file import objects, read_object
from .model_file import Fields, ModelFile, Report
from .reader import Reader


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar; none where another program wrote it.

    They are those of the version that has a file of this name. Where none has, only the model is
    known, unless it has one version.
    """
    data = read_object(model.sidecars[ENDING])
    versions = objects(data.get("modelVersions"))
    if not versions:
        return {}
    named = [one for one in versions if model.path.name in _names(one)]
    (version,) = named[:1] or (versions if len(versions) == 1 else [{}])
    return version_fields(version | {"modelId": data.get("id"), "model": data})


def _names(version: dict[str, Any]) -> list[Any]:
    return [file.get("name") for file in objects(version.get("files"))]


READERS = (
    Reader(
        "sd.next",
        "sd.next",
        read,
        {
            "triggers": 75,
            "variants": 75,
            "title": 35,
            "tags": 25,
            "origin": 15,
            "subjects": 35,
            "styles": 25,
            "description": 65,
            "created_at": 55,
            "version": 35,
            "kind": 75,
            "base_model": 75,
            "sha256": 45,
            "strength": 37,
        },
        (ENDING,),
    ),
)
