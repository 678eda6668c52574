"""Test in which folders ComfyUI's models are searched.

Each is searched once, however often and in whatever form it is written.
"""

from __future__ import annotations

import ntpath
import os
from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.nodes.host.models import repository
from personalq.tests.checkin import make_files as make


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The host's folders of LoRAs; it has none of checkpoints."""
    make.make_lora(tmp_path / "models" / "bears" / "bear.safetensors")
    found = [str(tmp_path / "models")]
    monkeypatch.setattr(
        repository.folder_paths, "get_folder_paths", lambda kind: found if kind == "loras" else []
    )
    monkeypatch.setattr(
        repository.folder_paths, "get_system_user_directory", lambda name: str(tmp_path / name)
    )
    return found


@pytest.fixture
def as_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are the same where they differ in case or separators alone."""
    monkeypatch.setattr(os.path, "normcase", ntpath.normcase)


def test_a_folder_that_extra_model_paths_names_again_is_one(roots, tmp_path):
    (tmp_path / "again").symlink_to(tmp_path / "models")
    roots += [str(tmp_path / "again"), f"{tmp_path}/models/", f"{tmp_path}/again/../models"]
    assert [card.id for card in repository.open_repository("loras").cards] == ["bears-bear"]
    assert repository.choices() == ["all models", *repository.KINDS, "loras/bears"]


def test_a_folder_in_other_letters_is_one_where_case_does_not_count(roots, tmp_path, as_on_windows):
    make.make_lora(tmp_path / "MODELS" / "bears" / "bear.safetensors")
    roots.append(str(tmp_path / "MODELS"))
    assert len(repository.open_repository("all models").cards) == 1


def test_a_folder_of_two_kinds_is_looked_at_once(roots, tmp_path, monkeypatch):
    (tmp_path / "again").symlink_to(tmp_path / "models")
    monkeypatch.setattr(
        repository.folder_paths,
        "get_folder_paths",
        lambda kind: roots if kind == "loras" else [str(tmp_path / "again")],
    )
    assert len(repository.open_repository("all models").cards) == 1
