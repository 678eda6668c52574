"""The trigger word in files of ostris' ai-toolkit. What else it writes has kohya's names."""

from __future__ import annotations

from .json_file import parse_object
from .model_file import Fields, ModelFile, Report


def read(model: ModelFile, report: Report) -> Fields:
    """The trigger word that the person set: ai-toolkit writes it as caption statistics,
    {"1_<word>": {"<word>": 1}}.
    """
    metadata = model.header.metadata
    if parse_object(metadata.get("software")).get("name") != "ai-toolkit":
        return {}
    folders = parse_object(metadata.get("ss_tag_frequency"))
    words = [
        folder.removeprefix("1_")
        for folder, tags in folders.items()
        if tags == {folder.removeprefix("1_"): 1}
    ]
    return {"triggers": words}
