"""Coverage-guided fuzzing of what reads a model file's header, for as long as you like.

    pip install atheris     (Linux and macOS, Python 3.11 to 3.13; no test needs it)
    python -P -m personalq.tests.fuzz.guided -max_total_time=300 [folder of inputs]

Atheris changes the bytes of the header towards code that no input has reached yet. It stops, and
writes the input to a file, where a reader fails in a way that it does not foresee, or takes long.
"""

from __future__ import annotations

import json
import struct
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["personalq.checkin.readers"]):
    from personalq.checkin.index.folders import Listed
    from personalq.checkin.index.read_models import read_model

_SECONDS = 2
_SEEDS = (
    {"modelspec.title": "Bear", "modelspec.date": "2026-01-02", "modelspec.trigger_phrase": "<a>"},
    {"modelspec.description": "<p>a &amp; b", "modelspec.thumbnail": "data:image/png;base64,AA=="},
    {"ss_tag_frequency": '{"1_a": {"b": 2}}', "ss_dataset_dirs": '{"1_a b": {"n_repeats": 1}}'},
    {"ss_network_args": '{"a": 1}', "ss_training_finished_at": "1.7e9", "ss_epoch": "3"},
    {"ssmd_keywords": "a, b", "ssmd_cover_images": '["AA=="]', "training_info": '{"step": 1}'},
    {"ss_output_name": "bear_v2-000004", "ss_sd_model_name": "x.ckpt", "modelspec.tags": "a, b"},
    {"modelspec.usage_hint": "trigger word: x", "modelspec.architecture": "stable-diffusion-v1"},
)
_TENSOR = "lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn2_to_k.lora_down.weight"
_KEYS = sorted({key for seed in _SEEDS for key in seed})


def _fields(data: bytes) -> dict[str, str]:
    """Metadata whose keys are known, so that what changes are the texts that readers get."""
    pieces = filter(None, data.split(b"\0"))
    return {_KEYS[one[0] % len(_KEYS)]: one[1:].decode(errors="surrogateescape") for one in pieces}


def _header(metadata: dict[str, str]) -> bytes:
    tensors = {_TENSOR: {"dtype": "F16", "shape": [1, 768], "data_offsets": [0, 1536]}}
    return json.dumps({"__metadata__": metadata, **tensors}).encode()


def main(folder: Path) -> None:
    """Fuzz until libFuzzer's options end it; files are written to `folder`."""
    inputs = folder / "inputs"
    inputs.mkdir()
    for number, metadata in enumerate(_SEEDS):
        (inputs / f"raw{number}").write_bytes(b"\0" + _header(metadata))
        fields = [bytes([_KEYS.index(key)]) + text.encode() for key, text in metadata.items()]
        (inputs / f"fields{number}").write_bytes(b"\1" + b"\0".join(fields))
    model = folder / "bear_v2.safetensors"

    def read(data: bytes) -> None:
        header = _header(_fields(data[1:])) if data[:1] > b"\0" else data[1:]
        model.write_bytes(struct.pack("<Q", len(header)) + header + bytes(1536))
        stamp = (model.name, model.stat().st_size, 1_780_000_000 * 10**9)
        row = read_model(Listed(str(model), model.name, {}, (), (stamp,)))
        unforeseen = [one for one in row.notices if "please report this" in one]
        assert not unforeseen, unforeseen

    atheris.Setup([*sys.argv, f"-timeout={_SECONDS}", str(inputs)], read)
    atheris.Fuzz()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
