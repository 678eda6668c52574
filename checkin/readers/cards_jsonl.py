"""A cards.jsonl: one card per line, as a JSON object."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..lexicon.sentences import say
from .encoding import decode
from .fields import FIELDS, clean, unusable_triggers
from .header import UnreadableFile
from .model_file import Fields, Report
from .trigger_words import with_words_of

EXPECTED = (
    'expected one JSON object per line with an id, like {"id": "bear-v4", "triggers": '
    '["<bear-v4>"], "subjects": ["bear"], "created_at": "2025-04-11T09:30:00+02:00"}'
)


def read_cards(path: Path, report: Report) -> list[Fields]:
    """The cards in the file, each as cleaned fields with `id`.

    A card that names a file also has its absolute `path`. Paths are relative to the file's folder,
    and may have the separators of any system. A text stands for a list of one, keys that are not
    fields of a card are ignored, and numbers keep their digits (`"version": 1.10` is "1.10").
    A broken line and one with the id of another are left out, which `report` is told. Raises
    UnreadableFile for a file that is no text.
    """
    cards: list[Fields] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        where = f"{path.name} line {number}"
        try:
            card = _card(line, path.parent, where, report)
        except UnreadableFile as error:
            report(say("left out: {why}", why=error))
            continue
        if before := lines.get(card["id"]):
            why = f"{where}: id {card['id']!r} is already in line {before}; ids are unique"
            report(say("left out: {why}", why=why))
            continue
        lines[card["id"]] = number
        cards.append(card)
    return cards


def _lines(path: Path) -> list[str]:
    try:
        return decode(path.read_bytes()).split("\n")
    except UnreadableFile as error:
        raise UnreadableFile(f"{path.name}: {error}") from None


def _card(line: str, folder: Path, where: str, report: Report) -> Fields:
    try:
        found: Any = json.loads(line, parse_int=str, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{where}: {error}; {EXPECTED}") from None
    if (
        not isinstance(found, dict)
        or not isinstance(found.get("id"), str)
        or not found["id"].strip()
    ):
        raise UnreadableFile(f"{where}: {EXPECTED}")

    try:
        cleaned = {
            name: clean(name, found.get(name), lambda said: report(f"{where}: {said}"))
            for name in FIELDS
        }
    except ValueError as error:
        raise UnreadableFile(f"{where}: {error}") from None
    present: Fields = {name: value for name, value in cleaned.items() if value is not None}
    if "triggers" in present and "variants" in present:
        present["triggers"] = with_words_of(present["variants"], present["triggers"])
    if unusable := unusable_triggers(found.get("triggers")):
        present["unusable"] = unusable
    if found.get("path") and isinstance(found["path"], str):
        present["path"] = _inside(folder, found["path"])
    if "previews" in present:
        present["previews"] = [_inside(folder, picture) for picture in present["previews"]]
    return present | {"id": found["id"].strip()}


def _inside(folder: Path, name: str) -> str:
    """The absolute path of a file that a line names, with the separators of any system."""
    return os.path.abspath(folder / name.replace("\\", "/"))
