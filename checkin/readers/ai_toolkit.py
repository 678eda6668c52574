"""The trigger word in files of ostris' ai-toolkit. Its other keys have kohya's names."""

from __future__ import annotations

from .caption_counts import caption_counts
from .json_file import parse_object
from .model_file import Fields, ModelFile, Report
from .reader import Reader


def read(model: ModelFile, report: Report) -> Fields:
    """The trigger word that the person set, and that a person trained it.

    ai-toolkit writes it as caption statistics: {"1_<word>": {"<word>": 1}}; in the `meta` of their
    configuration people add it as "trigger_word".
    """
    metadata = model.header.metadata
    if parse_object(metadata.get("software")).get("name") != "ai-toolkit":
        return {}
    folders = caption_counts(metadata) or {}
    words = {folder.removeprefix("1_"): tags for folder, tags in folders.items()}
    said = [word for word, tags in words.items() if [*tags] == [word]]
    return {"origin": "trained", "triggers": said or metadata.get("trigger_word")}


READERS = (Reader("ai_toolkit", "safetensors", read, {"origin": 80, "triggers": 120}),)
