"""Fixtures shared by the tests of the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.tests.checkin import make_files as make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A models folder with a bear that can be asked for; what is broken is put beside it."""
    bear = make.make_lora(tmp_path / "models" / "bear.safetensors")
    make.beside(bear, ".personalq.yaml", "triggers: <bear>\nsubjects: bear")
    return tmp_path / "models"
