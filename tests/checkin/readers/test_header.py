"""Test the safetensors header: its content, and files whose header is wrong."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from personalq.checkin.readers.header import MAX_HEADER_BYTES, UnreadableFile, read_header
from personalq.tests.checkin.make_files import KOHYA, make_lora


def written(path: Path, header: bytes, length: int | None = None, data: bytes = b"") -> Path:
    path.write_bytes(struct.pack("<Q", len(header) if length is None else length) + header + data)
    return path


def test_metadata_and_shapes(tmp_path: Path) -> None:
    header = read_header(make_lora(tmp_path / "bear.safetensors", "sdxl", KOHYA))
    assert header.metadata["ss_output_name"] == "plushbear"
    assert {
        shape for name, shape in header.shapes.items() if name.endswith("lora_down.weight")
    } == {(1, 2048)}


def test_header_that_claims_terabytes(tmp_path: Path) -> None:
    path = written(tmp_path / "x.safetensors", b"{}", length=2**40)
    with pytest.raises(
        UnreadableFile, match=r"header claims 1,099,511,627,776 bytes, the file has 10 .*download"
    ):
        read_header(path)


def test_header_larger_than_any_real_one(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    with path.open("wb") as file:  # Sparse: takes no room on the disk.
        file.write(struct.pack("<Q", MAX_HEADER_BYTES + 1))
        file.truncate(MAX_HEADER_BYTES * 2)
    with pytest.raises(UnreadableFile, match=r"claims 16,777,217 bytes.*at most 16,777,216"):
        read_header(path)


def test_truncated_file(tmp_path: Path) -> None:
    path = make_lora(tmp_path / "x.safetensors")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(UnreadableFile, match=rf"truncated: its tensors end at byte {len(whole):,}"):
        read_header(path)


def test_file_without_a_length(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(b"abc")
    with pytest.raises(UnreadableFile, match="has only 3 bytes"):
        read_header(path)


@pytest.mark.parametrize(
    "header",
    [
        b"<html>404</html>",
        b"[1, 2]",
        b'{"weight": 5}',
        b'{"weight": {"shape": [1]}}',
        b'{"weight": {"shape": ["x"], "data_offsets": [0, 1]}}',
        b'{"__metadata__": [1]}',
        b'{"a":' * 100_000,
        b"\xff\xfe",
    ],
)
def test_header_that_is_none(tmp_path: Path, header: bytes) -> None:
    with pytest.raises(UnreadableFile, match="not a safetensors header"):
        read_header(written(tmp_path / "x.safetensors", header))


def test_metadata_that_is_no_text_is_ignored(tmp_path: Path) -> None:
    header = json.dumps({"__metadata__": {"a": "text", "b": 5, "c": {"d": "e"}}}).encode()
    assert read_header(written(tmp_path / "x.safetensors", header)).metadata == {"a": "text"}
