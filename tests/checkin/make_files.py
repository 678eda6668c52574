"""Make real model files for the tests.

They are safetensors with the tensor names of real models, and the sidecars of other tools.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

WIDTHS = {"sd15": 768, "sd2": 1024, "sdxl": 2048}


def make_lora(path: Path, base_model: str = "sd15", metadata: dict[str, str] | None = None) -> Path:
    """A LoRA of rank 1, as kohya's trainer names its tensors."""
    layer = "lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn2_to_k"
    tensors = {
        f"{layer}.lora_down.weight": np.zeros((1, WIDTHS[base_model]), np.float16),
        f"{layer}.lora_up.weight": np.zeros((320, 1), np.float16),
        f"{layer}.alpha": np.ones((), np.float16),
    }
    return _save(path, tensors, metadata)


def make_transformer_lora(path: Path, layers: list[str], width: int) -> Path:
    """A LoRA of rank 1 of some layers, which read `width` numbers."""
    down = {f"{layer}.lora_down.weight": np.zeros((1, width), np.float16) for layer in layers}
    return _save(
        path,
        down | {f"{layer}.lora_up.weight": np.zeros((4, 1), np.float16) for layer in layers},
        None,
    )


def make_raw_lora(path: Path, metadata: dict[str, Any]) -> Path:
    """A LoRA whose header is written by hand, so that it may hold what the real library refuses."""
    name = "lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn2_to_k.lora_down.weight"
    tensor = {"dtype": "F16", "shape": [1, 768], "data_offsets": [0, 1536]}
    header = json.dumps({"__metadata__": metadata, name: tensor}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(1536))
    return path


def make_checkpoint(
    path: Path, base_model: str = "sd15", metadata: dict[str, str] | None = None
) -> Path:
    """A checkpoint of two layers, as Stability's own code names its tensors."""
    tensors = {
        "model.diffusion_model.input_blocks.0.0.weight": np.zeros((320, 4, 3, 3), np.float16),
        "model.diffusion_model.input_blocks.4.1.transformer_blocks.0.attn2.to_k.weight": np.zeros(
            (4, WIDTHS[base_model]), np.float16
        ),
    }
    return _save(path, tensors, metadata)


def make_vae(path: Path) -> Path:
    """A file that is neither a checkpoint nor a LoRA."""
    return _save(path, {"encoder.conv_in.weight": np.zeros((8, 3, 3, 3), np.float16)}, None)


def beside(
    model: Path, ending: str, content: str | dict[str, Any] | list[Any] | bytes = b""
) -> Path:
    """A file with the model's name and another ending; objects are written as JSON."""
    path = model.with_name(model.name.rpartition(".")[0] + ending)
    if isinstance(content, dict | list):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def _save(path: Path, tensors: dict[str, np.ndarray], metadata: dict[str, str] | None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, metadata)
    return path


KOHYA = {
    "ss_output_name": "plushbear",
    "ss_session_id": "2517316713",
    "ss_training_started_at": "1744357000.5",
    "ss_training_finished_at": "1744362000.25",
    "ss_epoch": "10",
    "ss_num_epochs": "10",
    "ss_steps": "600",
    "ss_base_model_version": "sd_v1",
    "ss_sd_model_name": "C:\\models\\v1-5-pruned-emaonly.safetensors",
    "ss_network_module": "networks.lora",
    "ss_network_dim": "16",
    "ss_training_comment": "A small plush teddy bear, tan with a cream snout",
    "ss_dataset_dirs": '{"10_sks teddy bear": {"n_repeats": 10, "img_count": 12}}',
    "ss_tag_frequency": '{"10_sks teddy bear": {"sks teddy bear": 12, "outdoors": 12, "solo": 11}}',
    "sshs_model_hash": "ab" * 32,
}
"""What kohya's sd-scripts write; the training finished on 11 April 2025, 09:00:00.25 UTC."""

MODELSPEC = {
    "modelspec.sai_model_spec": "1.0.1",
    "modelspec.architecture": "stable-diffusion-xl-v1-base/lora",
    "modelspec.implementation": "https://github.com/Stability-AI/generative-models",
    "modelspec.title": "Watercolor teddy bear",
    "modelspec.description": "A **plush** bear in washes of colour",
    "modelspec.date": "2025-04-11T09:30:00",
    "modelspec.tags": "watercolor, teddy bear, cute",
    "modelspec.trigger_phrase": "wtrclr bear",
    "modelspec.resolution": "1024x1024",
}

CIVITAI = {
    "id": 1001,
    "modelId": 501,
    "name": "v2.1 (baked)",
    "createdAt": "2025-03-02T10:11:12.345Z",
    "publishedAt": "2025-03-03T00:00:00.000Z",
    "trainedWords": ["<bear-v2>, plush", "tan fur"],
    "baseModel": "SD 1.5",
    "description": (
        "<p>Now with <b>softer</b> fur &amp; eyes.</p><script>alert(1)</script><ul><li>600 "
        "steps</li></ul>"
    ),
    "model": {
        "name": "Plush Teddy Bear",
        "type": "LORA",
        "nsfw": False,
        "tags": ["teddy bear", "cute", "anime"],
    },
    "files": [
        {"name": "train.zip", "hashes": {"SHA256": "CD" * 32}},
        {
            "name": "bear.safetensors",
            "primary": True,
            "hashes": {"SHA256": "AB" * 32, "AutoV2": "ABABABABAB"},
        },
    ],
    "images": [
        {"url": "https://image.example/1.jpeg", "nsfwLevel": 1, "meta": {"prompt": "a bear"}}
    ],
}

LORA_MANAGER = {
    "file_name": "bear",
    "model_name": "Plush Teddy Bear",
    "file_path": "/elsewhere/bear.safetensors",
    "size": 18_874_368,
    "modified": 1763600000.0,
    "sha256": "ab" * 32,
    "base_model": "SD 1.5",
    "preview_nsfw_level": 1,
    "notes": "",
    "from_civitai": True,
    "civitai": CIVITAI,
    "tags": ["teddy bear", "toy", "watercolor"],
    "modelDescription": "<p>A bear you can <i>hug</i>.</p>",
    "usage_tips": '{"strength": 0.8, "clip_skip": 2}',
}

A1111 = {
    "description": "my bear",
    "sd version": "SDXL",
    "activation text": "sks bear, plush",
    "preferred weight": 0.7,
    "negative text": "",
    "notes": "works best at night",
}

MUSUBI = {
    "ss_session_id": "77",
    "ss_training_started_at": "1744357000.0",
    "ss_output_name": "bear",
    "ss_base_model_version": "flux_2_klein_4b",
    "ss_network_module": "networks.lora_flux_2",
    "ss_training_comment": "None",
    "ss_datasets": (
        '[{"resolution": [960, 544], "caption_extension": ".txt", "image_directory": "pictures"}]'
    ),
    "modelspec.sai_model_spec": "1.0.0",
    "modelspec.architecture": "Flux.2-klein-4b/lora",
    "modelspec.implementation": "https://github.com/black-forest-labs/flux2",
    "modelspec.title": "bear",
    "modelspec.date": "2025-04-11T09:30:00",
}

ONETRAINER = {
    "modelspec.sai_model_spec": "1.0.0",
    "modelspec.architecture": "stable-diffusion-xl-v1-base/lora",
    "modelspec.implementation": "https://github.com/Stability-AI/generative-models",
    "modelspec.title": "",
    "modelspec.date": "2025-04-11",
    "modelspec.hash_sha256": "0x" + "cd" * 32,
    "ot_branch": "master",
    "ot_revision": "0123456",
    "ot_config": json.dumps(
        {
            "__version": 7,
            "training_method": "LORA",
            "model_type": "STABLE_DIFFUSION_XL_10_BASE",
            "base_model_name": "C:/models/ponyRealism.safetensors",
            "output_model_destination": "models/bear.safetensors",
            "concepts": None,
        }
    ),
    "ss_base_model_version": "sdxl_",
}

AI_TOOLKIT = {
    "format": "pt",
    "name": "bear",
    "version": "1.0",
    "software": (
        '{"name": "ai-toolkit", "repo": "https://github.com/ostris/ai-toolkit", "version": "0.6.2"}'
    ),
    "training_info": '{"step": 1250, "epoch": 12}',
    "ss_base_model_version": "flux.1",
    "ss_output_name": "bear",
    "ss_tag_frequency": '{"1_p3rs0n bear": {"p3rs0n bear": 1}}',
    "sshs_model_hash": "ab" * 32,
}

SWARM_HEADER = {
    "modelspec.sai_model_spec": "1.0.0",
    "modelspec.architecture": "Flux.1-dev/lora",
    "modelspec.title": "Plush Teddy Bear",
    "modelspec.description": "<p>A bear you can <b>hug</b>; say &lt;bear&gt;</p>",
    "modelspec.usage_hint": "",
    "modelspec.trigger_phrase": "swrm bear",
    "modelspec.tags": "teddy bear,anime",
    "modelspec.date": "2025-04-11",
    "modelspec.lora_default_weight": "0.75",
    "modelspec.hash_sha256": "0x" + "cd" * 32,
    "__spacer": "",
}

ADDITIONAL_NETWORKS = {
    "ssmd_display_name": "Plush Teddy Bear",
    "ssmd_version": "3",
    "ssmd_keywords": "kwd bear, plush",
    "ssmd_author": "me",
    "ssmd_source": "",
    "ssmd_description": "Trained on my own bear",
    "ssmd_rating": "5",
    "ssmd_tags": "teddy bear, watercolor",
    "ssmd_cover_images": "[]",
}

STABILITY_MATRIX = {
    "ModelId": 501,
    "ModelName": "Plush Teddy Bear",
    "ModelDescription": "<p>A bear you can <i>hug</i>.</p>",
    "Nsfw": False,
    "Tags": ["teddy bear", "watercolor", "cute"],
    "ModelType": "LORA",
    "VersionId": 1001,
    "VersionName": "v2.1",
    "VersionDescription": None,
    "AuthorUsername": "someone",
    "BaseModel": "Pony",
    "FileMetadata": {"Fp": "fp16", "Size": None, "Format": "SafeTensor"},
    "ImportedAt": "2020-01-02T03:04:05.6789+00:00",
    "Hashes": {"SHA256": "AB" * 32, "CRC32": "ABCDEF01", "BLAKE3": "CD" * 32},
    "TrainedWords": ["cm bear", "plush"],
    "Stats": {"DownloadCount": 5},
    "UserTitle": None,
    "ThumbnailImageUrl": "https://image.example/1.jpeg",
    "Source": "Civitai",
}

RGTHREE = {
    "file": "bear.safetensors",
    "path": "/elsewhere/bear.safetensors",
    "modified": 1577934245000.0,
    "hasInfoFile": True,
    "images": [{"url": "https://image.example/1.jpeg", "nsfwLevel": 1, "positive": "a bear"}],
    "name": "Plush Teddy Bear - v2.1",
    "type": "LORA",
    "baseModel": "Illustrious",
    "baseModelFile": "illustriousXL_v01.safetensors",
    "trainedWords": [
        {"word": "solo", "count": 120, "metadata": True},
        {"word": "rg bear", "civitai": True},
        {"word": "my bear", "count": 3, "metadata": True, "user": True},
    ],
    "sha256": "ab" * 32,
    "links": ["https://civitai.example/models/501"],
    "raw": {"metadata": {"ss_output_name": "bear"}, "civitai": CIVITAI},
}

SWARM = {
    "modelspec.name": "bear.safetensors",
    "modelspec.title": "Plush Teddy Bear",
    "modelspec.author": None,
    "modelspec.description": "typed in the other program",
    "modelspec.preview_image": "/ViewSpecial/LoRA/bear?editid=1",
    "modelspec.loaded": False,
    "modelspec.architecture": "stable-diffusion-xl-v1-base/lora",
    "modelspec.class": "Stable Diffusion XL 1.0-Base LoRA",
    "modelspec.standard_width": 1024,
    "modelspec.date": None,
    "modelspec.trigger_phrase": "swarm bear",
    "modelspec.tags": ["teddy bear", "ink"],
    "modelspec.lora_default_weight": "0.6",
    "modelspec.time_created": 1577934245000,
    "modelspec.time_modified": 1577934245000,
    "modelspec.hash_sha256": "0x" + "cd" * 32,
}

MODEL_MANAGER = """---
author: someone
baseModel: SDXL 1.0
hashes:
  AutoV2: ABABABABAB
  SHA256: {sha256}
metadata:
  format: SafeTensor
modelPage: https://civitai.example/models/501?modelVersionId=1001
preview:
- https://image.example/1.jpeg
website: Civitai
---

# Trigger Words

<md_bear>, plush

# About this version

Now with **softer** fur, see [the page](https://civitai.example/models/501).

# Plush Teddy Bear

A bear you can *hug*.
""".replace("{sha256}", "AB" * 32)

README = """---
base_model: stabilityai/stable-diffusion-xl-base-1.0
library_name: diffusers
license: openrail++
instance_prompt: a photo of sks teddy bear
widget:
- text: A photo of sks teddy bear in a bucket
  output:
    url: image_0.png
- text: elsewhere
  output:
    url: https://image.example/1.jpeg
tags:
- text-to-image
- lora
- watercolor
---

# SDXL LoRA DreamBooth - someone/bear
"""
