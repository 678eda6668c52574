"""Test that files are written whole or not at all, also where Windows refuses to replace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from personalq.atomic_write import FileInUse, write_whole, written_whole


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_is_made_with_its_folder_and_replaced(tmp_path: Path) -> None:
    write_whole(tmp_path / "deep" / "x.json", b"1")
    write_whole(tmp_path / "deep" / "x.json", b"2")
    assert contents(tmp_path / "deep") == {"x.json": b"2"}


def test_an_error_while_writing_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"1")
    with pytest.raises(ZeroDivisionError), written_whole(path) as part:  # noqa: PT012
        part.write_bytes(b"half")
        raise ZeroDivisionError
    assert contents(tmp_path) == {"x.json": b"1"}


def test_a_file_that_stays_open_elsewhere_is_named_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*_: object) -> None:
        raise PermissionError(13, "The process cannot access the file", None, 32)

    path = tmp_path / "x.json"
    path.write_bytes(b"1")
    monkeypatch.setattr(os, "replace", held)
    with pytest.raises(
        FileInUse, match=r"^x\.json is open in another program, or write-protected: close it"
    ):
        write_whole(path, b"2")
    assert contents(tmp_path) == {"x.json": b"1"}


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a file's rights elsewhere")
def test_the_rights_of_the_old_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"1")
    path.chmod(0o640)
    write_whole(path, b"2")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    write_whole(tmp_path / ("x" * 255), b"1")
    assert contents(tmp_path) == {"x" * 255: b"1"}


@pytest.mark.skipif(os.name != "nt", reason="only Windows refuses")
def test_an_open_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"1")
    with path.open("rb"), pytest.raises(FileInUse):
        write_whole(path, b"2")
    assert contents(tmp_path) == {"x.json": b"1"}
