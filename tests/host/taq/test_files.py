"""Test quantized weights on disk.

They are made once, read at the next start, and made again when they are unusable.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.sd
import comfy.utils
import folder_paths
from safetensors.torch import load_file, save_file

from personalq.nodes.host.models.pool import POOL
from personalq.nodes.host.taq import attention as taq_attention
from personalq.nodes.host.taq import files as taq_files
from personalq.nodes.host.taq.model import QuantConfig, file_metadata, quantize_model
from personalq.nodes.host.taq.patcher import TAQPatcher
from personalq.taq_kernels import PRESETS
from personalq.taq_kernels.storage.files import read_quantized, write_quantized
from personalq.tests.host.sampling import encode, nothing, quantized, relative_error, sample

W8, W4 = QuantConfig(PRESETS["W8A8"]), QuantConfig(PRESETS["W4A8"])
UNET = "model.diffusion_model."


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """An empty folder and pool, as after a start."""
    monkeypatch.setattr(folder_paths, "models_dir", str(tmp_path))
    monkeypatch.setattr(POOL, "_entries", type(POOL._entries)())


@pytest.fixture(scope="module")
def prompts(base):
    return encode(base[1], "a <bear> on grass"), encode(base[1], "blurry")


def forget() -> None:
    POOL.forget(lambda key: True)


@pytest.mark.parametrize("config", [W8, W4])
def test_the_second_start_reads_the_file_and_draws_the_same(model, prompts, config):
    first = sample(quantized(model, config=config), *prompts)
    forget()
    calls = []
    made = quantize_model(model, config, lambda *progress: calls.append(progress))
    assert not calls
    out = TAQPatcher.with_patches_of(model, made.patcher)
    taq_attention.install(out, "trigger + BOS", config.preset.attention)
    assert torch.equal(sample(out, *prompts), first)
    assert [path.name for path in taq_files.folder().iterdir()] == [
        taq_files.path_of(file_metadata(model, config)).name
    ]


def test_presets_of_the_same_weights_share_a_file(model):
    quantize_model(model, W8, nothing)
    calls = []
    quantize_model(model, QuantConfig(PRESETS["W8A4"]), lambda *progress: calls.append(progress))
    assert not calls


def test_a_damaged_file_is_said_and_made_again(model, caplog):
    quantize_model(model, W8, nothing)
    path = taq_files.path_of(file_metadata(model, W8))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    forget()
    quantize_model(model, W8, nothing)
    assert "checksum differs" in caplog.text
    assert path.read_bytes()[-1] == content[-1] ^ 1


def test_oldest_files_go_when_the_budget_is_used(model, monkeypatch):
    quantize_model(model, W8, nothing)
    monkeypatch.setattr(taq_files, "BUDGET", 1)
    quantize_model(model, W4, nothing)
    assert [path.name for path in taq_files.folder().iterdir()] == [
        taq_files.path_of(file_metadata(model, W4)).name
    ]


def held(*_, **__):
    """What Windows answers for a file that a model has open."""
    raise PermissionError(
        13, "The process cannot access the file because it is being used by another process"
    )


def test_a_file_that_a_model_has_open_is_not_deleted(model, monkeypatch):
    quantize_model(model, W8, nothing)
    monkeypatch.setattr(taq_files, "BUDGET", 1)
    monkeypatch.setattr(
        Path, "unlink", lambda path, **_: held() if path.suffix == ".safetensors" else None
    )
    quantize_model(model, W4, nothing)
    assert len(list(taq_files.folder().glob("*.safetensors"))) == 2


def test_strange_files_in_the_folder_are_left_alone(model, monkeypatch):
    taq_files.folder().mkdir(parents=True)
    save_file({"weight": torch.zeros(1)}, taq_files.folder() / "foreign.safetensors")
    (taq_files.folder() / "broken.safetensors").write_bytes(b"none")
    monkeypatch.setattr(taq_files, "BUDGET", 1)
    quantize_model(model, W8, nothing)
    assert {"foreign.safetensors", "broken.safetensors"} < {
        path.name for path in taq_files.folder().iterdir()
    }


def test_a_damaged_file_that_cannot_be_replaced_costs_nothing_but_room(
    model, prompts, monkeypatch, caplog
):
    whole = sample(quantized(model, config=W8), *prompts)
    path = taq_files.path_of(file_metadata(model, W8))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    forget()
    monkeypatch.setattr(os, "replace", held)
    assert torch.equal(sample(quantized(model, config=W8), *prompts), whole)
    assert "could not be kept" in caplog.text
    assert "is open in another program" in caplog.text
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_file_that_another_process_made_meanwhile_is_taken(model, monkeypatch):
    quantize_model(model, W8, nothing)
    said = file_metadata(model, W8)
    path = taq_files.path_of(said)
    content = path.read_bytes()
    path.unlink()
    state = {}

    def make():
        path.write_bytes(content)
        monkeypatch.setattr(os, "replace", held)
        return state

    assert taq_files.cached_on_disk(said, make).keys() == read_quantized(path, said).keys()
    assert path.read_bytes() == content


def test_a_file_whose_time_cannot_be_set_is_read(model, monkeypatch):
    quantize_model(model, W8, nothing)
    forget()
    monkeypatch.setattr(os, "utime", held)
    calls = []
    quantize_model(model, W8, lambda *progress: calls.append(progress))
    assert not calls


def test_only_calibrated_weights_count_as_calibrated(model):
    quantize_model(model, W8, nothing)
    before = taq_files.made_last()
    forget()
    quantize_model(model, QuantConfig(PRESETS["W4A8"]), nothing)
    assert taq_files.made_last() == before


def test_calibrated_weights_that_nobody_made(model):
    with pytest.raises(ValueError, match=r"calibrated by 'brecq' at 8 bits.*TAQ Calibrate"):
        quantize_model(model, QuantConfig(PRESETS["W8A8"], rounding="brecq"), nothing)


def command(*arguments: object) -> dict:
    """`personalq quantize ... --json`, as a user runs it."""
    line = [
        sys.executable,
        "-P",
        "-c",
        "from personalq.cli.main import main; raise SystemExit(main())",
        "quantize",
        *map(str, arguments),
        "--json",
    ]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_command_makes_the_file_that_the_node_looks_for(model, base_file):
    path = taq_files.path_of(file_metadata(model, W8))
    command(base_file, "--out", path)
    calls = []
    quantize_model(model, W8, lambda *progress: calls.append(progress))
    assert not calls


@pytest.mark.parametrize("bits", [8, 4])
def test_a_file_without_quantized_convolutions_loads_in_the_stock_loader(
    model, base_file, prompts, tmp_path, bits
):
    path = tmp_path / "stock.safetensors"
    command(base_file, "--bits", bits, "--linear-only", "--out", path)
    stock = comfy.sd.load_diffusion_model(str(path))
    error = relative_error(sample(stock, *prompts), sample(model, *prompts))
    assert 0 < error < {8: 0.05, 4: 0.2}[bits]


@pytest.fixture(scope="module")
def personal(base_file, tmp_path_factory):
    """A fine-tune of the whole base: every layer moved in a few directions, and the norms."""
    weights = load_file(base_file)
    torch.manual_seed(0)
    for name, weight in weights.items():
        if name.startswith(UNET) and weight.ndim > 1:
            flat = weight.float().flatten(1)
            move = torch.randn(flat.shape[0], 2) @ torch.randn(2, flat.shape[1])
            weights[name] = (
                (flat + 0.1 * flat.norm() / move.norm() * move).view(weight.shape).to(weight.dtype)
            )
        elif name.startswith(UNET):
            weights[name] = weight + 0.01
    path = tmp_path_factory.mktemp("personal") / "personal.safetensors"
    save_file(weights, path)
    return path


def test_a_personal_checkpoint_is_served_from_its_base(personal, base_file, prompts, tmp_path):
    model = comfy.sd.load_checkpoint_guess_config(str(personal))[0]
    wanted = sample(model, *prompts)
    whole = relative_error(sample(quantized(model, config=W8), *prompts), wanted)
    forget()
    path = taq_files.residual_path(file_metadata(model, W8))
    said = command(personal, "--base", base_file, "--bits", 8, "--out", path)
    assert said["as_close"]
    base = comfy.sd.load_checkpoint_guess_config(str(base_file))[0]
    of_base = quantize_model(base, W8, nothing)
    out = quantized(model, config=W8)
    assert out.model is of_base.patcher.model  # one quantized base for both
    assert out.branch_patches()
    assert relative_error(sample(out, *prompts), wanted) < 1.2 * whole
    assert relative_error(sample(quantized(base, config=W8), *prompts), wanted) > 2 * whole


def test_a_difference_whose_base_is_gone_says_what_to_do(model):
    metadata = file_metadata(model, W4)
    path = taq_files.residual_path(metadata)
    write_quantized(path, {"layer.diff": torch.ones(1)}, replace(metadata, base="f" * 64))
    with pytest.raises(ValueError, match=r"personalq quantize.*--base"):
        quantize_model(model, W4, nothing)
