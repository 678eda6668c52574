"""Model files and sidecars that no tool would write, made from one source of random numbers."""

from __future__ import annotations

import json
import os
import random
import struct
from pathlib import Path
from typing import Any

_NUMBERS = ("1e999", "-1e999", "NaN", "Infinity", "9" * 5000, "-1", "1.5", "true", "null", '"4"')
_TEXTS = (
    "",
    " ",
    "_",
    "-",
    "_x",
    "x-",
    "<-a>",
    "a__b",
    "\\ud800",
    "\\u0000",
    "\ufeff",
    "熊",
    "²",
    "①",
    "\ue000\ue100\ue001",
    "<![x ]>",
    "<p><a <b",
    "&#99999999999999;",
    "<lora:x:1>",
    "embedding:y",
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\\\x",
    "9999-12-31",
    "0000-00-00",
    "1e308",
    "!!python/name:os",
    "*a",
    "&a [*a]",
    "%YAML " + "9" * 5000,
    "\\\\UFFFFFFFF",
    "{",
    "[" * 30,
    "]" * 30,
    "a: b: c",
    "\x07",
)
_KEYS = (
    "modelspec.title modelspec.description modelspec.date modelspec.trigger_phrase modelspec.tags "
    "modelspec.architecture modelspec.thumbnail modelspec.usage_hint ss_output_name "
    "ss_tag_frequency "
    "ss_sd_model_name ss_training_finished_at ss_base_model_version ss_dataset_dirs ss_epoch "
    "ss_network_args ssmd_cover_images ssmd_keywords training_info sshs_model_hash"
).split()
_YAML_KEYS = "triggers subjects description created_at previews names version generated x".split()
_ENDINGS = (
    ".personalq.yaml",
    ".json",
    ".civitai.info",
    ".metadata.json",
    ".txt",
    ".md",
    ".swarm.json",
    ".cm-info.json",
    ".rgthree-info.json",
    ".png",
    ".preview.png",
    ".description.txt",
)
_NAMES = (
    "_{}",
    "{}_",
    "-{}",
    "{}__x",
    "{} v1.",
    "{}\u200b",
    "{}²",
    "{}.v9999999999999999999999",
    "…{}",
    "{}'s",
    "{}#&%",
    "CON{}",
    "{}" + "x" * 180,
    "熊{}",
    "{}-000009999999999999999999",
    "{}.",
)


def write_case(folder: Path, number: int, chance: random.Random) -> Path:
    """A broken model, with broken files beside it."""
    name = chance.choice(_NAMES).format(f"b{number}") if chance.random() < 0.5 else f"b{number}"
    path = folder / f"{name}.safetensors"
    path.write_bytes(_model(chance))
    for ending in chance.sample(_ENDINGS, chance.randint(0, 3)):
        beside = folder / f"{name}{ending}"
        if chance.random() < 0.06:
            beside.symlink_to(chance.choice([beside, Path("/etc/passwd"), folder / "gone"]))
        else:
            beside.write_bytes(_sidecar(ending, chance))
    if chance.random() < 0.1:
        os.utime(path, (0, chance.choice([0, -1e9, 4e9, 2**33])))
    return path


def _model(chance: random.Random) -> bytes:
    header = json.dumps(_header(chance)).encode(errors="surrogatepass")
    for _ in range(chance.choice([0, 0, 1, 1, 3])):
        header = _mutated(header, chance)
    length = len(header) if chance.random() < 0.95 else chance.choice([0, 2**63, 7, 2**40])
    data = struct.pack("<Q", length) + header + bytes(32)
    return data if chance.random() < 0.95 else data[: chance.randrange(len(data))]


def _header(chance: random.Random) -> dict[str, Any]:
    name = "lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn2_to_k.lora_down.weight"
    tensor = {"dtype": "F16", "shape": [1, 16], "data_offsets": [0, 32]}
    said = {key: _text(chance) for key in chance.sample(_KEYS, chance.randint(0, 8))}
    return {"__metadata__": said, name: tensor}


def _text(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.08:
        return (chance.choice(_TEXTS) * chance.choice([1000, 30_000]))[:1_000_000]
    if kind < 0.2:
        return json.dumps(_value(chance, 0))
    return " ".join(chance.choices((*_TEXTS, "bear", "sks", "anime", ","), k=chance.randint(1, 6)))


def _value(chance: random.Random, depth: int) -> Any:
    kind = chance.randint(0, 6 if depth < 5 else 3)
    if kind < 3:
        return chance.choice(_TEXTS)
    if kind == 3:
        return chance.choice([0, -1, 1e308, True, None, 10**18])
    if kind == 4:
        return [_value(chance, depth + 1) for _ in range(chance.randint(0, 4))]
    keys = (*_KEYS, *_TEXTS, "trainedWords", "description", "model", "images", "baseModel", "files")
    return {chance.choice(keys): _value(chance, depth + 1) for _ in range(chance.randint(0, 5))}


def _sidecar(ending: str, chance: random.Random) -> bytes:
    if ending.endswith(".png"):
        return bytes(chance.randrange(256) for _ in range(60))
    if ending.endswith(("json", "info")):
        text = json.dumps(_value(chance, 0) if chance.random() < 0.3 else _civitai(chance))
    elif ending.endswith("yaml"):
        keys = chance.choices(_YAML_KEYS, k=chance.randint(1, 5))
        text = "".join(f"{key}: {chance.choice(_TEXTS)}\n" for key in keys)
    else:
        text = "---\n" * chance.randint(0, 2) + _text(chance)
    data = text.encode(errors="surrogatepass")
    return _mutated(data, chance) if chance.random() < 0.4 else data


def _civitai(chance: random.Random) -> dict[str, Any]:
    return {
        "description": _text(chance),
        "trainedWords": [_text(chance) for _ in range(chance.randint(0, 3))],
        "model": {"name": _text(chance), "type": "LORA", "description": _text(chance)},
        "createdAt": chance.choice(_TEXTS),
        "files": _value(chance, 2),
        "images": _value(chance, 2),
    }


def _mutated(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    kind = chance.randint(0, 4)
    if kind == 0 and place < len(data):
        return data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]
    if kind == 1:
        return data[:place] + data[place + chance.randrange(40) :]
    if kind == 2:
        return data[:place] + chance.choice(_NUMBERS).encode() + data[place:]
    if kind == 3:
        return data.replace(b"32", chance.choice(_NUMBERS).encode(), 1)
    return data[:place] + chance.choice((b"[", b"{")) * chance.choice([1, 200_000]) + data[place:]
