"""`<model>.txt` and `<model>.description.txt`: free text, which A1111, Forge and SD.Next show as the description."""

from __future__ import annotations

from pathlib import Path

from .header import UnreadableFile
from .markup import text_of
from .model_file import Fields, ModelFile, Report

ENDINGS = (".description.txt", ".txt")
LARGEST = 1024 * 1024
"""Bytes."""


def read(model: ModelFile, report: Report) -> Fields:
    """The description. Words that some tools keep there as triggers cannot be told from one."""
    return {"description": text_of(read_text(next(model.sidecars[end] for end in ENDINGS if end in model.sidecars)))}


def read_text(path: Path) -> str:
    """The text of a small file. Raises UnreadableFile."""
    if path.stat().st_size > LARGEST:
        raise UnreadableFile(f"larger than {LARGEST:,} bytes: not read")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile("not UTF-8 text: save it as UTF-8; not read") from None
