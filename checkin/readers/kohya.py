"""Training metadata that kohya's sd-scripts (and musubi-tuner) write into the safetensors header as `ss_*`."""

from __future__ import annotations

import json
import re
from pathlib import PureWindowsPath

from .model_file import Fields, ModelFile, Report


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the `ss_*` keys. Caption tags (`ss_tag_frequency`) are no triggers and are not used."""
    metadata = model.header.metadata
    triggers, subjects = _from_folders(metadata.get("ss_dataset_dirs", ""))
    return {
        "kind": "lora" if "ss_network_module" in metadata else None,
        "base_model": metadata.get("ss_base_model_version"),
        # Understands both separators, so that a file trained on Windows names its base everywhere.
        "base": PureWindowsPath(_said(metadata.get("ss_sd_model_name")) or "").name,
        "triggers": triggers,
        "subjects": subjects,
        "description": _said(metadata.get("ss_training_comment")),
        "created_at": _said(metadata.get("ss_training_finished_at")) or _said(metadata.get("ss_training_started_at")),
    }


def _said(value: str | None) -> str | None:
    return None if value in ("None", "", None) else value


def _from_folders(dataset_dirs: str) -> tuple[list[str], list[str]]:
    """(triggers, subjects) from folder names like "10_sks dog": repeats, then the words that stood for a caption.

    The trigger is all of the words: that is what the text encoder saw. The class is all but the first.
    """
    try:
        folders = json.loads(dataset_dirs or "{}")
    except (ValueError, RecursionError):
        return [], []
    named = [re.fullmatch(r"\d+_(.+)", str(folder)) for folder in folders] if isinstance(folders, dict) else []
    captions = [match[1].replace("_", " ").strip() for match in named if match]
    return captions, [caption.partition(" ")[2] or caption for caption in captions]
