"""Test a painter's ComfyUI: a real process, its folder, and what killed ones left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from platform import node

import pytest

pytest.importorskip("psutil", reason="psutil, which ComfyUI needs, is not installed")

from personalq.serve.comfyui_process import ComfyUI, NotStarted, _settings
from personalq.tests.serve.service import make_plan

LONG_AGO = 1_600_000_000


def left_by(pid: int, state: Path, *, changed: int = LONG_AGO) -> Path:
    """The folder of a painter that this process started."""
    folder = state / f"painter-{node()}-{pid}-{changed}"
    (folder / "custom_nodes").mkdir(parents=True)
    pack = state.parent / "pack"
    pack.mkdir(exist_ok=True)
    (pack / "stays.py").touch()
    (folder / "custom_nodes" / "personalq").symlink_to(pack, target_is_directory=True)
    os.utime(folder, (changed, changed))
    return folder


def test_the_folder_of_a_painter_that_was_killed_goes_after_a_day(comfyui, tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / "models").mkdir()
    plan = make_plan(tmp_path, comfyui=str(comfyui))
    state = Path(plan.state)
    old = left_by(ended.pid, state)
    stay = [left_by(os.getpid(), state), left_by(ended.pid, state, changed=2**31)]
    others = state / "painter-of-mine"
    others.mkdir()
    painter = ComfyUI(plan)
    assert painter.running
    assert not old.exists()
    assert all(folder.is_dir() for folder in (*stay, others, painter.folder))
    painter.stop()
    assert not painter.folder.exists()
    assert (tmp_path / "pack" / "stays.py").exists()


def test_painters_leave_out_what_the_service_leaves_out(tmp_path):
    (tmp_path / "settings.yaml").write_text("leave_out: [loras/old]\n")
    plan = make_plan(tmp_path, settings=str(tmp_path))
    assert _settings(plan)["leave_out"] == ("loras/old",)
    shared = make_plan(tmp_path, settings=str(tmp_path), shared_index="index.sqlite")
    assert _settings(shared)["leave_out"] == (), "the index has what it has"


def test_a_comfyui_that_does_not_start_says_why_and_leaves_nothing(tmp_path):
    plan = make_plan(tmp_path, comfyui=str(tmp_path))
    with pytest.raises(NotStarted, match=r"\(exit code 1\)(.|\n)*main\.py'$"):
        ComfyUI(plan)
    assert not list(Path(plan.state).glob("painter-*"))
