"""Test which ComfyUI is chosen, and the message when one cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq import comfyui_folder
from personalq.comfyui_folder import UnusableComfyUI, find_comfyui, unusable


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
    monkeypatch.setattr(comfyui_folder, "ROOT", home / "personalq")
    monkeypatch.setattr(comfyui_folder, "CLONE", home / "personalq" / ".comfyui")
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
    monkeypatch.setattr(comfyui_folder, "ROOT", above / "custom_nodes" / "personalq")
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
    with pytest.raises(UnusableComfyUI, match="no ComfyUI"):
        find_comfyui(home / "missing")
    monkeypatch.setenv("COMFYUI_PATH", str(_comfyui(home / "old", "0.20.0")))
    with pytest.raises(UnusableComfyUI, match=r"needs ComfyUI 0\.33\.0"):
        find_comfyui()
