"""Test models whose parts are files of their own, from a request to a sampled latent.

The models are tiny and of random weights, in the layouts of real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.checkin.lexicon.split_models import PIXELS
from personalq.demo.host_process import HostProcess, failure, prepare_base_directory
from personalq.tests.host import narrow_host
from personalq.tests.host.graphs import Graph, check_in, said
from personalq.tests.host.split_files import (
    ANIMALS,
    FAMILIES,
    random_model,
    row_of,
    write_fine_tune,
    write_lora,
    write_split_model,
)

CHANNELS = {"4 channels": 4, "flux2": 128, "wan22": 48, PIXELS: 3}
"""Layout of the VAE -> channels of the latent; 16 of all others."""
SECOND = dict(
    zip(
        FAMILIES,
        (
            "horse pig cow duck goose sheep mouse rabbit tiger lion zebra camel deer monkey hamster"
            " shark whale eagle stork bison llama snail"
        ).split(),
        strict=True,
    )
)
"""Base model -> what a second LoRA for it draws."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ComfyUI's models folder, with a tiny model and a LoRA of every family."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "checkpoints").mkdir()
    for base_model in FAMILIES:
        write_split_model(folder, base_model)
    for base_model, animal in SECOND.items():
        write_lora(folder, base_model, random_model(base_model), animal)
    write_fine_tune(folder, "z-image", "parrot")
    wide = {"double_blocks.0.img_attn.qkv.weight": torch.empty(768, 256)}
    write_lora(folder, "flux2-klein-4b", wide, "gecko", base="flux-2-klein-4b")
    for animal, base in (("mole", "vole"), ("vole", "mole")):
        write_lora(folder, "flux1", wide, animal, base=base)
    return folder


@pytest.fixture(scope="module")
def host(comfyui: Path, models: Path, tmp_path_factory) -> Iterator[HostProcess]:
    """ComfyUI, with sizes narrowed that it fixes."""
    base = prepare_base_directory(tmp_path_factory.mktemp("comfyui"))
    pack = base / "custom_nodes" / "narrow_host.py"
    pack.write_text(
        Path(narrow_host.__file__).read_text()
        + "\n\ninstall()\nsmall_pool()\nNODE_CLASS_MAPPINGS = {}\n"
    )
    with HostProcess(comfyui, models, base) as process:
        yield process


def sampling(request: str, **inputs) -> Graph:
    """Check-in, two steps at 64 px, and the latent as a file."""
    empty = {"width": 64, "height": 64, "batch_size": 1}
    sampler = {"seed": 1, "steps": 2, "cfg": 1.0, "sampler_name": "euler", "scheduler": "simple"}
    links = {"model": ["2", 0], "positive": ["2", 3], "negative": ["2", 3]}
    return check_in(request, **inputs) | {
        "latent": {"class_type": "EmptyLatentImage", "inputs": empty},
        "sample": {
            "class_type": "KSampler",
            "inputs": sampler | links | {"denoise": 1.0, "latent_image": ["latent", 0]},
        },
        "save": {
            "class_type": "SaveLatent",
            "inputs": {"samples": ["sample", 0], "filename_prefix": "latent"},
        },
    }


def latent_of(host: HostProcess, entry: dict) -> torch.Tensor:
    (saved,) = entry["outputs"]["save"]["latents"]
    folder = host.base_directory / saved["type"] / saved["subfolder"]
    return load_file(folder / saved["filename"])["latent_tensor"]


@pytest.mark.parametrize("base_model", FAMILIES)
def test_a_request_for_a_lora_becomes_a_latent(host, base_model):
    animal, row = ANIMALS[base_model], row_of(base_model)
    entry = host.prompt(sampling(f"my {animal} in the snow"), "client")
    assert failure(entry) is None, host.tail(60)
    decided = said(entry)
    assert decided["card"]["name"] == animal
    assert decided["prompt"] == f"<{animal}> in the snow"
    latent = latent_of(host, entry)
    assert latent.shape[1] == CHANNELS.get(row.vae.layout, 16)
    assert latent.isfinite().all()
    assert latent.std() > 0.05


@pytest.mark.parametrize("base_model", FAMILIES[::3])  # the host places parts alike for all
def test_two_subjects_are_drawn_each_in_its_part(host, base_model):
    first, second = ANIMALS[base_model], SECOND[base_model]
    chosen = f"{first}\n{second}"
    entry = host.prompt(sampling(f"a {first} and a {second}", chosen=chosen), "client")
    assert failure(entry) is None, host.tail(60)
    placed = f"Each in its own part of the picture: {first} left, {second} right."
    assert said(entry)["notices"] == [placed]
    latent = latent_of(host, entry)
    assert latent.isfinite().all()
    alone = host.prompt(sampling(f"a {first}", chosen=first), "client")
    assert failure(alone) is None
    change = (latent - latent_of(host, alone)).abs()
    assert change[..., change.shape[-1] // 2 :].mean() > 0


def test_a_fine_tuned_diffusion_model_is_chosen_like_a_checkpoint(host):
    entry = host.prompt(sampling("my parrot in the snow", repository="diffusion_models"), "client")
    assert failure(entry) is None, host.tail(60)
    assert (said(entry)["card"]["name"], said(entry)["card"]["kind"]) == ("parrot", "checkpoint")
    assert latent_of(host, entry).isfinite().all()


def test_a_lora_of_another_size_is_told(host):
    said = failure(host.prompt(sampling("my gecko in the snow"), "client"))
    assert said.startswith(
        "The LoRA 'gecko' fits no layer of its base 'flux-2-klein-4b': it was made for "
    )
    assert "choose one in the settings" in said


def test_a_circle_of_base_lines_is_told(host):
    said = failure(host.prompt(sampling("my mole in the snow"), "client"))
    assert said.startswith("The `base:` lines of mole → vole → mole go in a circle. Name a")


def test_a_missing_part_is_told(host, models):
    file = models / "vae" / "wan2.2_vae.safetensors"
    file.rename(file.with_suffix(".away"))
    try:
        said = failure(host.prompt(sampling(f"my {ANIMALS['wan22-5b']} in the rain"), "client"))
    finally:
        file.with_suffix(".away").rename(file)
    assert "is for Wan 2.2 5B, and parts of it are missing: wan2.2_vae.safetensors into " in said
