"""Write a library's files: real safetensors with real headers, sidecars and times."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

_CONTEXT_WIDTHS = {"sd15": 768, "sd2": 1024, "sdxl": 2048, "pony": 2048, "illustrious": 2048}
_LAYER = "down_blocks_1_attentions_0_transformer_blocks_0_attn2_to_k"
_TRANSFORMER_LAYERS = {
    "flux": ("double_blocks_0_img_attn_qkv", 3072),
    "flux2": ("double_blocks_0_img_attn_qkv", 4096),
    "sd3": ("joint_blocks_0_x_block_attn_qkv", 1536),
    "qwen": ("transformer_blocks_0_txt_mlp_net_2", 12288),
    "zimage": ("layers_0_attention_qkv", 3840),
    "wan": ("blocks_0_cross_attn_q", 5120),
    "anima": ("blocks_0_cross_attn_q_proj", 2048),
    "krea2": ("blocks_0_attn_wq", 6144),
}
_TRANSFORMER_WEIGHTS = {
    "flux": ("double_blocks.0.img_attn.qkv.weight", 3072),
    "flux2": ("double_blocks.0.img_attn.qkv.weight", 4096),
    "chroma": ("double_blocks.0.img_attn.qkv.weight", 3072),
    "sd3": ("joint_blocks.0.x_block.attn.qkv.weight", 1536),
    "qwen": ("transformer_blocks.0.txt_mlp.net.2.weight", 12288),
    "zimage": ("layers.0.attention.qkv.weight", 3840),
    "wan": ("blocks.0.cross_attn.q.weight", 5120),
    "anima": ("blocks.0.cross_attn.q_proj.weight", 2048),
    "krea2": ("blocks.0.attn.wq.weight", 6144),
}
_OTHERS = {
    "embedding": ("emb_params", (1, 768)),
    "vae": ("encoder.conv_in.weight", (8, 3, 3, 3)),
    "controlnet": ("control_model.input_hint_block.0.weight", (8, 3, 3, 3)),
    "upscaler": ("conv_first.weight", (8, 3, 3, 3)),
}


def write(files: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Write model files below `folder`, with the sidecars and times that their lines describe.

    Copies are written last, because they need their originals.
    """
    for line in sorted(files, key=lambda line: bool(line.get("same_bytes_as"))):
        path = folder / line["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if line.get("same_bytes_as"):
            shutil.copyfile(folder / line["same_bytes_as"], path)
        else:
            _write_model(path, line)
        for sidecar in line.get("sidecars") or ():
            beside = path.with_name(path.name.rpartition(".")[0] + sidecar["suffix"])
            beside.write_text(_content(sidecar), "utf-8")
        moment = datetime.fromisoformat(line["mtime"]).timestamp()
        os.utime(path, (moment, moment))


def _write_model(path: Path, line: Mapping[str, Any]) -> None:
    broken = line.get("broken")
    if broken in ("garbage", "pickle", "empty"):
        content = {"garbage": b"<html>404</html>" * 40, "pickle": b"\x80\x02}q\x00.", "empty": b""}
        path.write_bytes(content[broken])
        return
    header = line.get("header")
    tensors = _tensors(line["kind"], line["base"])
    own = np.random.default_rng(list(line["path"].encode()))  # no two models have equal bytes
    for tensor in tensors.values():
        tensor[...] = own.standard_normal(tensor.shape)
    save_file(tensors, path, header and _metadata(header))
    if broken == "truncated":
        os.truncate(path, path.stat().st_size // 2)


def _tensors(kind: str, base: str) -> dict[str, Any]:
    """The tensors by which readers recognise a kind of model and its base."""
    if kind in _OTHERS:
        name, shape = _OTHERS[kind]
        return {name: np.zeros(shape, np.float16)}
    if kind == "lora":
        layer, width = _TRANSFORMER_LAYERS.get(base) or (_LAYER, _CONTEXT_WIDTHS[base])
        return {
            f"lora_unet_{layer}.lora_down.weight": np.zeros((1, width), np.float16),
            f"lora_unet_{layer}.lora_up.weight": np.zeros((4, 1), np.float16),
        }
    if base in _TRANSFORMER_WEIGHTS:
        name, width = _TRANSFORMER_WEIGHTS[base]
        named = [name, *(["distilled_guidance_layer.in_proj.weight"] if base == "chroma" else ())]
        return {f"model.diffusion_model.{one}": np.zeros((3, width), np.float16) for one in named}
    name = "model.diffusion_model.input_blocks.4.1.transformer_blocks.0.attn2.to_k.weight"
    return {name: np.zeros((4, _CONTEXT_WIDTHS[base]), np.float16)}


def _metadata(header: Mapping[str, Any]) -> dict[str, str]:
    return {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in header.items()
        if value is not None
    }


def _content(sidecar: Mapping[str, Any]) -> str:
    if "json" in sidecar:
        return json.dumps(sidecar["json"], ensure_ascii=False, indent=1)
    return str(sidecar.get("text", ""))
