"""quickstart.py: which ComfyUI it takes, what it says when one cannot be used, and the way without any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from personalq import quickstart
from personalq.quickstart import QuickstartError, find_comfyui, fingerprint, unusable

ROOT = Path(quickstart.__file__).parent


def _comfyui(folder: Path, version: str = "0.33.0") -> Path:
    folder.mkdir(parents=True)
    (folder / "main.py").touch()
    (folder / "comfyui_version.py").write_text(f'__version__ = "{version}"\n', encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, with our clone and the pack inside it."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.delenv("COMFYUI_PATH", raising=False)
    monkeypatch.setattr(quickstart, "ROOT", home / "personalq")
    monkeypatch.setattr(quickstart, "CLONE", home / "personalq" / ".comfyui")
    return home


def test_nothing_is_found_where_nothing_is(home: Path) -> None:
    assert find_comfyui() is None


def test_places_in_order(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = _comfyui(home / "personalq" / ".comfyui")
    assert find_comfyui() == clone
    comfy_cli = _comfyui(home / "comfy" / "ComfyUI")
    assert find_comfyui() == comfy_cli
    usual = _comfyui(home / "ComfyUI")
    assert find_comfyui() == usual
    above = _comfyui(home / "mine")
    monkeypatch.setattr(quickstart, "ROOT", above / "custom_nodes" / "personalq")
    assert find_comfyui() == above
    named = _comfyui(home / "named")
    monkeypatch.setenv("COMFYUI_PATH", str(named))
    assert find_comfyui() == named
    explicit = _comfyui(home / "explicit")
    assert find_comfyui(explicit) == explicit


def test_one_that_is_too_old_is_passed_over(home: Path) -> None:
    old = _comfyui(home / "ComfyUI", "0.32.9")
    assert "0.33.0 or newer" in str(unusable(old))
    newer = _comfyui(home / "comfy" / "ComfyUI", "0.40.1")
    assert find_comfyui() == newer


def test_the_one_that_was_named_must_be_usable(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _comfyui(home / "ComfyUI")
    with pytest.raises(QuickstartError, match="no ComfyUI"):
        find_comfyui(home / "missing")
    monkeypatch.setenv("COMFYUI_PATH", str(_comfyui(home / "old", "0.20.0")))
    with pytest.raises(QuickstartError, match=r"needs ComfyUI 0\.33\.0"):
        find_comfyui()


def test_the_environment_is_made_again_when_a_requirements_file_changes(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("numpy\n", encoding="utf-8")
    before = fingerprint(["-r", str(requirements)])
    assert fingerprint(["-r", str(requirements)]) == before
    requirements.write_text("numpy>=2\n", encoding="utf-8")
    assert fingerprint(["-r", str(requirements)]) != before


def _without_comfyui(home: Path) -> dict[str, str]:
    """An environment in which no ComfyUI is found, and git reaches nothing."""
    proxy = dict.fromkeys(("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy"), "http://127.0.0.1:9")
    inherited = {name: value for name, value in os.environ.items() if name not in ("COMFYUI_PATH", "NO_PROXY")}
    return inherited | proxy | {"HOME": str(home), "USERPROFILE": str(home)}


@pytest.mark.skipif(quickstart.CLONE.exists(), reason="ComfyUI was cloned into this folder: it would be found")
def test_without_comfyui_the_rest_runs_and_the_exit_code_says_so(demo_repository: Path, tmp_path: Path) -> None:
    if any(folder.parent.name == "custom_nodes" for folder in (ROOT, ROOT.resolve())):
        pytest.skip("this folder lies in a ComfyUI: it would be found")
    summary_file = tmp_path / "summary.json"
    command = [sys.executable, ROOT / "quickstart.py", "--no-install", "--out", demo_repository.parent]
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
    drawn = [turn for request in summary["requests"] for turn in request["turns"] if turn["picture"]]
    assert len(drawn) == 2
    for turn in drawn:
        assert Path(turn["picture"]).stat().st_size > 1000
        assert turn["unet_bytes_after"] < 0.65 * turn["unet_bytes_before"]
    assert "ComfyUI" in summary["left_out"]


def test_a_named_comfyui_that_is_none_ends_with_the_next_step(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "quickstart.py", "--no-install", "--comfyui", tmp_path]
    ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert ran.returncode == 1
    assert "it holds no ComfyUI" in ran.stderr
