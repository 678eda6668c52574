"""Test the digest of the models on which a table's metrics depend."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree

import pytest

from personalq.bench.evidence import options, provenance
from personalq.bench.evidence.options import FULL, Options
from personalq.demo.world import library

_PACKAGE = Path(provenance.__file__).parents[2]


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


@pytest.mark.parametrize(
    ("edited", "measures"),
    [
        ("demo/conversation.py", False),
        ("demo/world/render.py", True),
        ("demo/token_marks.py", True),
        ("taq_kernels/bops.py", True),
    ],
)
def test_the_digest_of_the_code_changes_with_what_measures(
    edited: str, measures: bool, tmp_path: Path, monkeypatch
):
    for source in ("demo", *provenance.SOURCES):
        if (_PACKAGE / source).is_dir():
            copytree(
                _PACKAGE / source,
                tmp_path / source,
                ignore=lambda _, names: [name for name in names if name.endswith(".xz")],
                dirs_exist_ok=True,
            )
    before = provenance.code_digest()
    monkeypatch.setattr(provenance, "_ROOT", tmp_path)
    assert provenance.code_digest() == before
    with (tmp_path / edited).open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert (provenance.code_digest() != before) is measures


def test_all_that_tables_import_of_the_demo_is_in_the_digest():
    listed = "import sys, personalq.bench.evidence.command; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", listed], capture_output=True, text=True, check=True
    ).stdout.split()
    of_demo = [Path(*name.split(".")[1:]) for name in found if name.startswith("personalq.demo.")]
    assert Path("demo/world/library") in of_demo
    for module in of_demo:
        file = module.with_suffix(".py")
        named = {file.as_posix(), *(folder.as_posix() for folder in file.parents), str(module)}
        assert named & set(provenance.SOURCES), f"{module} is not in the digest"
