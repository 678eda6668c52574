"""Write the demo models' cards in the formats that users really have.

These are our sidecar, the headers of the model files, and other tools' sidecars.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import PurePosixPath

import yaml

from ..checkin.readers.sidecar import ENDING
from .catalogue import BASE_PATH, GUIDANCE, RANK, SIDE, DemoModel

BASE_NAME = PurePosixPath(BASE_PATH).stem
BASE_METADATA = {
    "modelspec.sai_model_spec": "1.0.1",
    "modelspec.architecture": "stable-diffusion-v1",
    "modelspec.implementation": "sgm",
    "modelspec.title": "Demo base",
    "modelspec.description": (
        "The base that every other model of this repository was made from: small, for 128 px."
    ),
    "modelspec.date": "2025-08-01T12:00:00Z",
}


SAMPLING = {"resolution": f"{SIDE}x{SIDE}", "steps": 20, "cfg": GUIDANCE}
"""Recommended settings in a checkpoint's sidecar; they hold for every LoRA on that checkpoint too.
"""


def metadata_of(model: DemoModel) -> dict[str, str]:
    """Return the `__metadata__` of the model's safetensors header.

    Trainers always note what they trained and on which base, so every file has at least that.
    """
    metadata = {
        "modelspec.architecture": "stable-diffusion-v1" + ("/lora" if model.is_lora else "")
    }
    if model.is_lora:
        metadata |= {
            "ss_base_model_version": "sd_v1",
            "ss_sd_model_name": PurePosixPath(BASE_PATH).name,
        }
        metadata |= {
            "ss_network_module": "networks.lora",
            "ss_network_dim": str(RANK),
            "ss_network_alpha": str(RANK),
        }
    if model.card in ("kohya", "a1111"):
        metadata |= _kohya(model)
    if model.card == "modelspec":
        metadata |= _modelspec(model)
    return metadata


def sidecars_of(model: DemoModel, sha256: str) -> dict[str, str]:
    """Map ending to text for the files beside the model, named `<name without ending><ending>`."""
    write = _SIDECARS.get(model.card)
    drawn_best = {} if model.is_lora else sampling_sidecar()
    return drawn_best | (write(model, sha256) if write else {})


def sampling_sidecar() -> dict[str, str]:
    """Return a checkpoint's sidecar with the size, steps and guidance that the model was made for.

    No other card format has fields for these.
    """
    return {ENDING: yaml.safe_dump(SAMPLING, sort_keys=False)}


def preview_ending(model: DemoModel) -> str:
    """Return the ending under which the tool that wrote the card would look for a picture."""
    return ".preview.png" if model.card in ("civitai", "a1111") else ".png"


def _title(model: DemoModel) -> str:
    return model.lineage.capitalize()


def _tags(model: DemoModel) -> list[str]:
    return [*model.subjects, model.look]


def _kohya(model: DemoModel) -> dict[str, str]:
    name = PurePosixPath(model.path).stem
    finished = model.created_at.timestamp()
    folder = f"10_{model.trigger}"
    return {
        "ss_output_name": name,
        "ss_training_started_at": f"{finished - 1800:.1f}",
        "ss_training_finished_at": f"{finished:.1f}",
        "ss_num_train_images": "20",
        "ss_dataset_dirs": json.dumps({folder: {"n_repeats": 10, "img_count": 20}}),
        "ss_tag_frequency": json.dumps(
            {folder: {model.trigger: 20} | dict.fromkeys(_tags(model), 19)}
        ),
        "ss_training_comment": model.description,
    }


def _modelspec(model: DemoModel) -> dict[str, str]:
    return {
        "modelspec.sai_model_spec": "1.0.1",
        "modelspec.implementation": "sgm",
        "modelspec.title": f"{_title(model)} v{model.version}",
        "modelspec.description": model.description,
        "modelspec.date": model.created_at.isoformat(),
        "modelspec.trigger_phrase": model.trigger,
        "modelspec.tags": ", ".join(_tags(model)),
    }


def _yaml(model: DemoModel, sha256: str) -> dict[str, str]:
    card = {
        "id": f"{model.lineage.replace(' ', '-')}-v{model.version}",
        "triggers": [model.trigger],
        "subjects": list(model.subjects),
        "styles": [model.look],
        "description": model.description,
        "created_at": model.created_at.isoformat(),
        "version": model.version,
        "base_model": "sd15",
        "base": BASE_NAME,
        "lineage": model.lineage,
    }
    return {ENDING: yaml.safe_dump(card, sort_keys=False, allow_unicode=True)}


def _civitai_version(model: DemoModel, sha256: str) -> dict[str, object]:
    """A model version as Civitai's API returns it; both tools below store this object."""
    model_id = 900_000 + zlib.crc32(model.lineage.encode()) % 100_000
    file = {"name": PurePosixPath(model.path).name, "hashes": {"SHA256": sha256.upper()}}
    return {
        "id": model_id * 10 + int(model.version),
        "modelId": model_id,
        "name": f"v{model.version}",
        "createdAt": model.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "trainedWords": [model.trigger],
        "baseModel": "SD 1.5",
        "description": f"<p>{model.description}</p>",
        "model": {
            "name": _title(model),
            "type": "LORA" if model.is_lora else "Checkpoint",
            "nsfw": False,
            "tags": _tags(model),
        },
        "files": [file],
        "images": [],
    }


def _civitai(model: DemoModel, sha256: str) -> dict[str, str]:
    return {".civitai.info": _json(_civitai_version(model, sha256))}


def _lora_manager(model: DemoModel, sha256: str) -> dict[str, str]:
    card = {
        "file_name": PurePosixPath(model.path).stem,
        "model_name": _title(model),
        "sha256": sha256,
        "base_model": "SD 1.5",
        "preview_nsfw_level": 1,
        "notes": "",
        "from_civitai": True,
        "civitai": _civitai_version(model, sha256),
        "tags": _tags(model),
        "modelDescription": f"<p>{model.description}</p>",
        "usage_tips": json.dumps({"strength": 1.0}),
    }
    return {".metadata.json": _json(card)}


def _a1111(model: DemoModel, sha256: str) -> dict[str, str]:
    card = {
        "description": model.description,
        "sd version": "SD1",
        "activation text": model.trigger,
        "preferred weight": 1.0,
        "notes": ", ".join(_tags(model)),
    }
    return {".json": _json(card)}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


_SIDECARS: dict[str, Callable[[DemoModel, str], dict[str, str]]] = {
    "yaml": _yaml,
    "civitai": _civitai,
    "lora-manager": _lora_manager,
    "a1111": _a1111,
}
