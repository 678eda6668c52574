"""Test which folder of settings is used outside ComfyUI."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq import comfyui_folder
from personalq.checkin.user.settings import VARIABLE, read_yaml, settings_folder


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pack in the custom_nodes of a ComfyUI, with a home folder of its own."""
    pack = tmp_path / "ComfyUI" / "custom_nodes" / "personalq"
    pack.mkdir(parents=True)
    monkeypatch.setattr(comfyui_folder, "ROOT", pack)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv(VARIABLE)
    return pack


def test_in_the_order_of_the_guide(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings_folder() == tmp_path / "home" / ".personalq"
    of_comfyui = pack.parents[1] / "user" / "__personalq"
    of_comfyui.mkdir(parents=True)
    assert settings_folder() == of_comfyui
    monkeypatch.setenv(VARIABLE, "~/elsewhere")
    assert settings_folder() == tmp_path / "home" / "elsewhere"


def test_without_a_home_one_is_named(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(ValueError, match=rf"there is no home folder: .+ in \${VARIABLE}"):
        settings_folder()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert settings_folder() == tmp_path


@pytest.mark.parametrize("content", [b"prefer: [", b"- prefer", b"#" * 70_000])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.yaml"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^settings\.yaml"):
        read_yaml(path)


def test_a_linked_pack_uses_the_settings_of_its_comfyui(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_comfyui = pack.parents[1] / "user" / "__personalq"
    of_comfyui.mkdir(parents=True)
    clone = tmp_path / "clone"
    clone.symlink_to(pack, target_is_directory=True)
    monkeypatch.setattr(comfyui_folder, "ROOT", clone)
    assert settings_folder() == of_comfyui
