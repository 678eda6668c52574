"""Test what a preview of Repo Check-in says before anything is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import folder_paths
import numpy as np
from safetensors.numpy import load_file, save_file
from server import PromptServer

from personalq.nodes.host.models.held import HeldRepositories
from personalq.nodes.host.models.repository import KINDS
from personalq.nodes.preview import Preview
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import own
from personalq.tests.host.server_in_process import Server


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for models, which are previewed without any others."""
    for kind in KINDS:
        (tmp_path / kind).mkdir()
        found = ([str(tmp_path / kind)], {".safetensors"})
        monkeypatch.setitem(folder_paths.folder_names_and_paths, kind, found)
    monkeypatch.setattr(folder_paths, "user_directory", str(tmp_path / "user"))
    monkeypatch.setattr(folder_paths, "temp_directory", str(tmp_path / "temp"))
    monkeypatch.setattr(PromptServer, "instance", Server(), raising=False)
    return tmp_path


def complete(checkpoint: Path) -> None:
    """Gives a checkpoint a text encoder and a VAE."""
    parts = ("cond_stage_model.transformer.weight", "first_stage_model.decoder.weight")
    more = {name: np.zeros((1, 1), np.float16) for name in parts}
    save_file(load_file(checkpoint) | more, checkpoint)


def test_a_lora_whose_base_is_not_here_is_said(models: Path) -> None:
    own(models / "loras", "kiko_xl", 10, "kikochr woman")
    own(models / "loras", "pip", 11, "pipdog dog", base="sd15")
    complete(make.make_checkpoint(models / "checkpoints" / "dreamshaper_8.safetensors", "sd15"))
    preview = Preview(lambda done, total: None, HeldRepositories())
    [notice] = preview({}, {"request": "kiko in the snow"})["notices"]
    assert notice.startswith("The LoRA 'kiko_xl' needs")
    assert preview({}, {"request": "pip in the snow"})["notices"] == []
    connected = {"request": "kiko in the snow", "connected": "sdxl_of_mine.safetensors"}
    assert preview({}, connected)["notices"] == []


def test_parts_of_a_model_that_are_not_here_are_said(models: Path) -> None:
    own(models / "loras", "pip", 11, "pipdog dog", base="sd15")
    checkpoint = make.make_checkpoint(models / "checkpoints" / "dreamshaper_8.safetensors", "sd15")
    preview = Preview(lambda done, total: None, HeldRepositories())
    for request in ("pip in the snow", "dreamshaper, a house in the snow"):
        [notice] = preview({}, {"request": request})["notices"]
        assert "'dreamshaper_8' is for SD 1.5, and parts of it are missing: " in notice
    complete(checkpoint)
    assert preview({}, {"request": "pip in the snow"})["notices"] == []
