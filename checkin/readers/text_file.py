"""`<model>.txt` and `<model>.description.txt`: free text.

A1111, Forge and SD.Next show it as the description.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..lexicon import FUNCTION
from ..lexicon.sentences import say
from ..lexicon.spelling import is_english, stems
from .encoding import decode
from .header import UnreadableFile
from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .modelspec import trigger_in
from .reader import Reader

ENDINGS = (".description.txt", ".txt")
MAX_TEXT_BYTES = 1024 * 1024
"""Bytes."""
_WORD_LIST = re.compile(r"[^\W\d]\w{2,30}(?:, ?(?:[\w'-]+ ?){1,4})*,?")
"""One line of a word and, behind commas, others: "oldbrn, wooden barn"."""
_MAX_LIST = 120
"""The most characters of such a line."""


def read(model: ModelFile, report: Report) -> Fields:
    """The description."""
    return {"description": text_of(_text_beside(model))}


def read_hint(model: ModelFile, report: Report) -> Fields:
    """The triggers, where the text calls some so, or is only a list of words that no other text
    begins with: a made-up one first.
    """
    try:
        text = _text_beside(model)
    except UnreadableFile:
        return {}  # `read` reports it
    return {"triggers": trigger_in(text) or _word_list(text)}


def _word_list(text: str) -> str | None:
    line = text.strip()
    if len(line) > _MAX_LIST or not _WORD_LIST.fullmatch(line):
        return None
    made_up = not is_english(line.partition(",")[0].casefold())
    return line if made_up and FUNCTION.isdisjoint(stems(line)) else None


def _text_beside(model: ModelFile) -> str:
    return read_text(next(model.sidecars[end] for end in ENDINGS if end in model.sidecars))


def read_text(path: Path) -> str:
    """The text of a small file. Raises UnreadableFile."""
    if path.stat().st_size > MAX_TEXT_BYTES:
        raise UnreadableFile(say("larger than {bytes:,} bytes: not read", bytes=MAX_TEXT_BYTES))
    return decode(path.read_bytes())


READERS = (
    Reader("text", "text", read, {"description": 20}, ENDINGS),
    Reader("text_hint", "text", read_hint, {"triggers": 125}, ENDINGS),
)
