"""quickstart.py: its environment, what it says when a ComfyUI cannot be used, and the way without
any.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from personalq import quickstart
from personalq.quickstart import fingerprint

ROOT = Path(quickstart.__file__).parent


def test_the_environment_is_made_again_when_a_requirements_file_changes(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("numpy\n", encoding="utf-8")
    before = fingerprint(["-r", str(requirements)])
    assert fingerprint(["-r", str(requirements)]) == before
    requirements.write_text("numpy>=2\n", encoding="utf-8")
    assert fingerprint(["-r", str(requirements)]) != before


def _without_comfyui(home: Path) -> dict[str, str]:
    """An environment in which no ComfyUI is found, and git reaches nothing."""
    proxy = dict.fromkeys(
        ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy"), "http://127.0.0.1:9"
    )
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COMFYUI_PATH", "NO_PROXY")
    }
    return inherited | proxy | {"HOME": str(home), "USERPROFILE": str(home)}


@pytest.mark.skipif(
    quickstart.CLONE.exists(), reason="ComfyUI was cloned into this folder: it would be found"
)
def test_without_comfyui_the_rest_runs_and_the_exit_code_says_so(
    demo_repository: Path, tmp_path: Path
) -> None:
    if any(folder.parent.name == "custom_nodes" for folder in (ROOT, ROOT.resolve())):
        pytest.skip("this folder lies in a ComfyUI: it would be found")
    summary_file = tmp_path / "summary.json"
    command = [
        sys.executable,
        ROOT / "quickstart.py",
        "--no-install",
        "--out",
        demo_repository.parent,
    ]
    ran = subprocess.run(
        [*command, "--json", summary_file],
        cwd=tmp_path,
        env=_without_comfyui(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert "cannot be cloned" in ran.stdout
    summary = json.loads(summary_file.read_text(encoding="utf-8"))
    assert summary["exit_code"] == 3
    assert all(request["as_expected"] for request in summary["requests"])
    drawn = [
        turn for request in summary["requests"] for turn in request["turns"] if turn["picture"]
    ]
    assert len(drawn) == 2
    for turn in drawn:
        assert Path(turn["picture"]).stat().st_size > 1000
        assert turn["unet_bytes_after"] < 0.65 * turn["unet_bytes_before"]
    assert "ComfyUI" in summary["left_out"]


def test_a_named_comfyui_that_is_none_ends_with_the_next_step(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "quickstart.py", "--no-install", "--comfyui", tmp_path]
    ran = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert ran.returncode == 1
    assert "it holds no ComfyUI" in ran.stderr


@pytest.mark.skipif(os.name == "nt", reason="links need special rights on Windows")
def test_a_console_that_cannot_show_a_path_gets_the_rest(comfyui: Path, tmp_path: Path) -> None:
    python = tmp_path / "熊" / "python"
    python.parent.mkdir()
    python.symlink_to(os.path.realpath(sys.executable))
    ran = subprocess.run(
        [python, ROOT / "quickstart.py", "setup", "--no-install", "--comfyui", comfyui],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode("cp1252") == f"Ready: {tmp_path}/\\u718a/python\n"
