"""ModelSpec metadata in the safetensors header (Stability AI, version 1.0.1)."""

from __future__ import annotations

from .model_file import Fields, ModelFile, Report
from .tags import sort_tags
from .text import split_list


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the `modelspec.*` keys. The date is often local time without a zone."""
    spec = {
        key.removeprefix("modelspec."): value
        for key, value in model.header.metadata.items()
        if key.startswith("modelspec.")
    }
    subjects, styles = sort_tags(split_list(spec.get("tags", "")), spec.get("title", ""))
    architecture, _, adapter = spec.get("architecture", "").partition("/")
    return {
        "kind": _kind(architecture, adapter),
        "base_model": architecture,
        "triggers": spec.get("trigger_phrase"),
        "subjects": subjects,
        "styles": styles,
        "description": spec.get("description"),
        "created_at": spec.get("date"),
    }


def _kind(architecture: str, adapter: str) -> str | None:
    if adapter.casefold() in ("lora", "locon", "loha", "lokr", "dora"):
        return "lora"
    return "checkpoint" if architecture and not adapter else None
