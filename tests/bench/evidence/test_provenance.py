"""Test the digest of the models on which a table's metrics depend."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from personalq.bench.evidence import options
from personalq.bench.evidence.options import FULL, Options
from personalq.demo.world import library


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch) -> Path:
    """A copy of the trained models, free to change."""
    folder = tmp_path / "models"
    folder.mkdir()
    for file in library.FOLDER.glob("*.xz"):
        copy(file, folder)
    monkeypatch.setattr(library, "FOLDER", folder)
    return folder


def _trained_models(table: str) -> str:
    return options.settings(table, Options(FULL, False, Path("out.json")))["trained models"]


@pytest.mark.parametrize(
    ("changed", "tables"),
    [
        ("base_unet", {"methods", "coupling"}),
        ("judge", {"methods", "coupling"}),
        ("checkpoints__dog_realistic", {"methods", "coupling"}),
        ("loras__watch__steel_watch", {"coupling"}),
    ],
)
def test_figures_depend_on_the_models_they_were_measured_with(
    shipped: Path, changed: str, tables: set[str]
):
    before = {table: _trained_models(table) for table in ("methods", "coupling")}
    assert before == {table: _trained_models(table) for table in before}
    (shipped / f"{changed}.xz").write_bytes(b"trained anew")
    assert {table for table, digest in before.items() if _trained_models(table) != digest} == tables


def test_where_the_models_lie_does_not_matter(request: pytest.FixtureRequest):
    before = {table: _trained_models(table) for table in ("methods", "coupling")}
    request.getfixturevalue("shipped")
    assert {table: _trained_models(table) for table in before} == before
