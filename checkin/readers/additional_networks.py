"""`ssmd_*` keys: what a person typed into the metadata editor of sd-webui-additional-networks.

They are stored in the safetensors header.
"""

from __future__ import annotations

from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .reader import Reader
from .tags import sort_tags


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the `ssmd_*` keys."""
    metadata = model.header.metadata
    subjects, styles = sort_tags(metadata.get("ssmd_tags"), metadata.get("ssmd_display_name", ""))
    return {
        "triggers": metadata.get("ssmd_keywords"),
        "subjects": subjects,
        "styles": styles,
        "description": text_of(metadata.get("ssmd_description")),
        "version": metadata.get("ssmd_version"),
    }


READERS = (
    Reader(
        "ssmd",
        "safetensors",
        read,
        {"triggers": 40, "subjects": 80, "styles": 70, "description": 40, "version": 60},
    ),
)
