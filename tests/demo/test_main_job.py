"""What the demo programs say where they cannot write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from personalq.demo import main_job


@pytest.mark.parametrize("program", ["main_job", "open_canvas"])
def test_a_folder_that_cannot_be_written_is_said(program: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "out"
    command = [sys.executable, "-P", "-m", f"personalq.demo.{program}", "--out", str(out)]
    with subprocess.Popen(
        [*command, "--comfyui", str(tmp_path)],
        stdin=subprocess.PIPE,  # its end would end open_canvas
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.wait(120) == 1
        assert process.stdout
        assert process.stderr
        said = process.stdout.read()
        assert process.stderr.read() == ""
    assert f"Failed: [Errno 20] Not a directory: '{out}" in said
    assert said.endswith("Next: free 1 GB, or name another folder with --out.\n")


def test_the_folder_of_the_summary_is_made(demo_repository: Path, tmp_path: Path) -> None:
    (tmp_path / "demo").symlink_to(demo_repository, target_is_directory=True)
    summary = tmp_path / "new" / "summary.json"
    arguments = ["--out", tmp_path, "--json", summary, "--comfyui", tmp_path]
    assert main_job.main([*map(str, arguments)]) == 1
    assert "ComfyUI did not start" in json.loads(summary.read_text("utf-8"))["error"]


def test_ctrl_c_ends_it_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main_job, "make_demo", stopped)
    assert main_job.main(["--out", str(tmp_path)]) == 130
