"""Test `personalq quantize`: files from a checkpoint, and messages for wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from personalq.cli.main import main
from personalq.taq_kernels.storage.files import PREFIX, read_metadata
from personalq.tests.taq_kernels.unets import SmallUNet


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory) -> Path:
    """A small UNet among a checkpoint's other parts."""
    torch.manual_seed(0)
    weights = {PREFIX + name: weight.half() for name, weight in SmallUNet().state_dict().items()}
    path = tmp_path_factory.mktemp("models") / "small.safetensors"
    save_file(weights | {"first_stage_model.weight": torch.ones(1)}, path)
    return path


def run(capsys, *arguments: object) -> dict:
    assert main(["quantize", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments: object) -> str:
    assert main(["quantize", *map(str, arguments)]) == 2
    return capsys.readouterr().err


def test_writes_the_unet_and_nothing_else(capsys, checkpoint, tmp_path):
    out = tmp_path / "small.safetensors"
    said = run(
        capsys,
        checkpoint,
        "--bits",
        4,
        "--layers",
        "*.attn1.*: 8; input_blocks.2.*: keep",
        "--out",
        out,
    )
    assert said["file"] == str(out)
    assert said["bytes"] == out.stat().st_size
    assert 0.25 < said["ratio"] < 0.5
    assert all(name.startswith(PREFIX) for name in load_file(out))
    assert read_metadata(out).overrides == (("*.attn1.*", 8), ("input_blocks.2.*", None))


@pytest.mark.parametrize("name", ["SMALL.SAFETENSORS", "small.sft"])
def test_files_may_have_every_ending_that_comfyui_loads(capsys, checkpoint, tmp_path, name):
    (tmp_path / name).write_bytes(checkpoint.read_bytes())
    assert Path(run(capsys, tmp_path / name, "--models", tmp_path)["file"]).is_file()


def test_linear_only_leaves_convolutions(capsys, checkpoint, tmp_path):
    out = tmp_path / "small.safetensors"
    run(capsys, checkpoint, "--linear-only", "--out", out)
    tensors = load_file(out)
    assert tensors[f"{PREFIX}input_blocks.2.0.weight"].dtype == torch.float16
    assert (
        tensors[f"{PREFIX}input_blocks.1.1.transformer_blocks.0.attn1.to_q.weight"].dtype
        == torch.int8
    )


def test_a_difference_from_a_base(capsys, checkpoint, tmp_path):
    weights = load_file(checkpoint)
    name = f"{PREFIX}input_blocks.1.0.in_layers.2.weight"
    torch.manual_seed(1)
    move = (torch.randn(256, 2) @ torch.randn(2, 256 * 9)).view(weights[name].shape)
    weights[name] = (weights[name].float() + 0.001 * move).half()
    personal, out = tmp_path / "personal.safetensors", tmp_path / "difference.safetensors"
    save_file(weights, personal)
    said = run(capsys, personal, "--base", checkpoint, "--bits", 4, "--out", out)
    assert said["as_close"]
    assert said["error"] <= said["error_whole"]
    assert said["bytes"] < checkpoint.stat().st_size / 5
    assert "diffusion_model.input_blocks.1.0.in_layers.2.lora_up.weight" in load_file(out)


def test_there_is_no_difference_from_itself(capsys, checkpoint, tmp_path):
    said = refused(capsys, checkpoint, "--base", checkpoint, "--models", tmp_path)
    assert "small.safetensors has the weights of its base" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--layers", "*.attn1.*=8"], "a layer override is `pattern: 8`"),
        (["--layers", "down_blocks.*: 8"], "no layer is called down_blocks.*"),
        (
            ["--rounding", "brecq", "--trigger", "sks", "--noun", "dog"],
            "leave out --out, --base and --linear-only",
        ),
        (["--comfyui", "nowhere"], "nowhere"),
        (["--base", "base.safetensors", "--linear-only"], "--base or --linear-only"),
        (["--energy", "0.9"], "name the checkpoint with --base"),
        (["--base", "base.safetensors", "--energy", "95"], "more than 0, at most 1"),
        (["--base", "base.safetensors", "--energy", "0"], "more than 0, at most 1"),
    ],
)
def test_what_is_wrong_is_said(capsys, checkpoint, tmp_path, arguments, sentence):
    place = [] if "--comfyui" in arguments else ["--out", tmp_path / "out.safetensors"]
    assert sentence in refused(capsys, checkpoint, *arguments, *place)
    assert not list(tmp_path.iterdir())


def test_calibration_needs_to_know_what_to_draw(capsys, checkpoint):
    assert "say what it is with --trigger and --noun" in refused(
        capsys, checkpoint, "--rounding", "brecq"
    )


def test_what_calibration_cannot_draw_with(capsys, checkpoint, tmp_path):
    asked = "--rounding", "brecq", "--trigger", "sks", "--noun", "dog"
    assert "small.safetensors has no text encoder" in refused(capsys, checkpoint, *asked)
    assert "--pixels must be 64 or more" in refused(capsys, checkpoint, *asked, "--pixels", 8)
    other = tmp_path / "other.safetensors"
    save_file({"a.weight": torch.ones(2, 2)}, other)
    assert "no text cross-attention" in refused(capsys, other, *asked)


def test_the_models_folder_can_be_named(capsys, checkpoint, tmp_path):
    said = run(capsys, checkpoint, "--models", tmp_path)
    assert Path(said["file"]).parent == tmp_path / "personalq"


def test_no_file_of_others_is_overwritten(capsys, checkpoint, tmp_path):
    notes = tmp_path / "notes.md"
    notes.write_text("my notes", encoding="utf-8")
    for out in (checkpoint, notes):
        before = out.read_bytes()
        for base in ([], ["--base", checkpoint]):
            said = refused(capsys, checkpoint, *base, "--out", out)
            assert f"{out} is there and PersonalQ did not write it: name another file" in said
        assert out.read_bytes() == before


def test_files_that_hold_no_unet(capsys, checkpoint, tmp_path):
    out = tmp_path / "quantized.safetensors"
    run(capsys, checkpoint, "--out", out)
    assert "quantized already" in refused(capsys, out, "--out", tmp_path / "again.safetensors")
    other = tmp_path / "other.safetensors"
    save_file({"a.weight": torch.ones(2, 2)}, other)
    assert "no text cross-attention" in refused(capsys, other, "--out", out)
    other.write_bytes(b"nothing")
    assert "cannot be read" in refused(capsys, other, "--out", out)
    assert "only safetensors files" in refused(capsys, tmp_path / "model.ckpt", "--out", out)
