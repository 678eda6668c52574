"""Test a LoRA on a connected model that the pack ComfyUI-GGUF has loaded, with its own patcher."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import folder_paths

from personalq.nodes.host.taq.supported import reason_against
from personalq.tests.host.models.loras_on_wan import MODEL, errors
from personalq.tests.host.taq.transformers import state_of

gguf = pytest.importorskip("gguf", reason="the package gguf is not installed")
PACK = Path(os.environ.get("PERSONALQ_GGUF", ""), "__init__.py")
pytestmark = pytest.mark.skipif(
    not PACK.is_absolute(), reason="PERSONALQ_GGUF names no folder of the pack ComfyUI-GGUF"
)


@pytest.fixture(scope="module")
def pack() -> ModuleType:
    """The nodes of the pack, imported as the host imports it."""
    spec = importlib.util.spec_from_file_location(
        "gguf_pack", PACK, submodule_search_locations=[str(PACK.parent)]
    )
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules["gguf_pack"] = made
    spec.loader.exec_module(made)
    return made


def write(path: Path, kind: str) -> None:
    """A tiny Wan as a GGUF file, its layers in bits of this kind."""
    numbers = gguf.GGMLQuantizationType[kind]
    writer = gguf.GGUFWriter(str(path), "wan")
    for name, one in state_of(MODEL).items():
        values = one.float().numpy()
        if one.ndim == 2 and "blocks." in name:
            writer.add_tensor(name, gguf.quants.quantize(values, numbers), raw_dtype=numbers)
            continue
        if one.ndim > 4:  # more than the format has
            writer.add_array(f"comfy.gguf.orig_shape.{name}", list(one.shape))
            values = values.reshape(len(values), -1)
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_0"])
@torch.inference_mode()
def test_the_lora_has_its_effect(pack, tmp_path, monkeypatch, kind):
    write(tmp_path / "wan.gguf", kind)
    monkeypatch.setitem(
        folder_paths.folder_names_and_paths, "diffusion_models", ([str(tmp_path)], {".gguf"})
    )
    model = pack.NODE_CLASS_MAPPINGS["UnetLoaderGGUF"]().load_unet("wan.gguf")[0]
    assert type(model).__name__ == "GGUFModelPatcher"
    found = errors(model, tmp_path)
    assert 0 < found.of_weights < 0.05
    assert found.of_lora < 0.6 * found.effect, "without the LoRA it would be the whole effect"
    assert str(reason_against(model)).startswith("This model is quantized already.")
