"""Test that the service offers no model of a folder that the user's settings leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import EmptyRepository
from personalq.serve.library import Library
from personalq.tests.checkin import make_files as make
from personalq.tests.serve.service import make_models, make_plan

BEARS = ["bears-realistic", "bears-toon"]


def leave_out(settings: Path, *names: str) -> None:
    (settings / "settings.yaml").write_text(f"leave_out: [{', '.join(names)}]\n")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Models of which loras/private is left out; it looks anew each time."""
    models = make_models(tmp_path / "models")
    make.make_lora(models / "loras" / "private" / "deep" / "nan.safetensors")
    plan = make_plan(tmp_path, settings=str(tmp_path))
    leave_out(tmp_path, "loras/private", "loras/../checkpoints", "loras/gone")
    return Library(plan, clock=iter(range(0, 10_000, 100)).__next__)


def ids(library: Library) -> list[str]:
    return sorted(card.id for card in library.repository().cards)


def test_what_is_left_out_follows_the_settings(tmp_path: Path, library: Library) -> None:
    assert ids(library) == ["base", *BEARS]
    leave_out(tmp_path)
    assert ids(library) == ["base", *BEARS, "private-deep-nan"]
    leave_out(tmp_path, "loras")
    assert ids(library) == ["base"]
    leave_out(tmp_path, "checkpoints", "loras/private")
    assert ids(library) == BEARS


def test_what_is_left_out_is_not_looked_at(tmp_path: Path, library: Library) -> None:
    before = library.repository()
    make.make_lora(tmp_path / "models" / "loras" / "private" / "new.safetensors")
    assert library.repository() is before


def test_all_is_left_out(tmp_path: Path, library: Library) -> None:
    leave_out(tmp_path, "checkpoints", "loras")
    with pytest.raises(EmptyRepository, match="All folders of models are left out"):
        library.repository()
