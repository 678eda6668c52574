"""`<model>.txt` and `<model>.description.txt`: free text.

A1111, Forge and SD.Next show it as the description.
"""

from __future__ import annotations

from pathlib import Path

from ..lexicon.sentences import say
from .encoding import decode
from .header import UnreadableFile
from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .modelspec import trigger_in
from .reader import Reader

ENDINGS = (".description.txt", ".txt")
MAX_TEXT_BYTES = 1024 * 1024
"""Bytes."""


def read(model: ModelFile, report: Report) -> Fields:
    """The description.

    Some tools store triggers there; these cannot be told from a description.
    """
    return {"description": text_of(_text_beside(model))}


def read_hint(model: ModelFile, report: Report) -> Fields:
    """The trigger, where the text calls one so."""
    try:
        return {"triggers": trigger_in(_text_beside(model))}
    except UnreadableFile:
        return {}  # `read` reports it


def _text_beside(model: ModelFile) -> str:
    return read_text(next(model.sidecars[end] for end in ENDINGS if end in model.sidecars))


def read_text(path: Path) -> str:
    """The text of a small file. Raises UnreadableFile."""
    if path.stat().st_size > MAX_TEXT_BYTES:
        raise UnreadableFile(say("larger than {bytes:,} bytes: not read", bytes=MAX_TEXT_BYTES))
    return decode(path.read_bytes())


READERS = (
    Reader("text", "text", read, {"description": 20}, ENDINGS),
    Reader("text_hint", "text", read_hint, {"triggers": 140}, ENDINGS),
)
