"""Test which build is the newest where files were copied, so that their times say little."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from personalq.checkin import Repository
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.world import NOW


def newest(folder: Path, *names: str, minutes: float, dated: bool = False) -> str:
    """The newest of some models whose files were written one after the other."""
    for place, name in enumerate(names):
        day = {"modelspec.date": f"2024-0{place + 1}-01"} if dated else None
        path = make.make_lora(folder / f"{name}.safetensors", metadata=day)
        written = NOW.timestamp() + 60 * minutes * place
        os.utime(path, (written, written))
    repository = Repository.open(folder, embedder=None)
    order = repository.catalogue().columns.order
    return repository.cards[int(order.argmax())].name


@pytest.mark.parametrize(
    ("names", "first"),
    [
        ("moss_v1.10 moss_v1.9", "moss_v1.10"),
        ("moss_000002000 moss_000001000", "moss_000002000"),
        ("moss_v2 moss-000010", "moss-000010"),  # an epoch is no version
        ("moss_v2 nelson_v1", "nelson_v1"),
        ("moss_v2 moss", "moss"),
    ],
)
def test_the_highest_version_of_files_of_one_hour_is_the_newest(
    tmp_path: Path, names: str, first: str
) -> None:
    assert newest(tmp_path, *names.split(), minutes=1) == first


def test_times_count_that_no_copy_has_changed(tmp_path: Path) -> None:
    assert newest(tmp_path / "apart", "moss_v2", "moss_v1", minutes=90) == "moss_v1"
    dated = newest(tmp_path / "dated", "moss_v2", "moss_v1", minutes=0, dated=True)
    assert dated == "moss_v1"
