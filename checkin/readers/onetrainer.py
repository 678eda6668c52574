"""`ot_config`: the settings with which OneTrainer trained, as JSON in the safetensors header."""

from __future__ import annotations

from pathlib import PureWindowsPath

from .json_file import parse_object
from .model_file import Fields, ModelFile, Report
from .reader import Reader

_KINDS = {"LORA": "lora", "FINE_TUNE": "checkpoint"}


def read(model: ModelFile, report: Report) -> Fields:
    """Origin, kind and base model.

    The settings contain no trigger: captions are in files of their own.
    """
    config = parse_object(model.header.metadata.get("ot_config"))
    base, model_type = config.get("base_model_name"), config.get("model_type")
    return {
        "origin": "trained" if config else None,
        "kind": _KINDS.get(str(config.get("training_method"))),
        "base_model": model_type if isinstance(model_type, str) else None,
        "base": PureWindowsPath(base[:1000]).name if isinstance(base, str) else None,
    }


READERS = (
    Reader(
        "onetrainer", "safetensors", read, {"origin": 70, "kind": 50, "base_model": 40, "base": 20}
    ),
)
