"""JSON from unknown sources, read within limits: sidecars, and header values that hold JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..lexicon.sentences import say
from .encoding import decode
from .header import UnreadableFile

MAX_SIDECAR_BYTES = 4 * 1024 * 1024
"""Bytes."""
MAX_VALUE_CHARS = 4 * 1024 * 1024
"""The most characters of JSON in one value of a header.

Caption statistics of real models are shorter.
"""


def read_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises UnreadableFile if the file is too large, broken, nested too deep, or does not hold an
    object.
    """
    data = path.read_bytes() if path.stat().st_size <= MAX_SIDECAR_BYTES else None
    if data is None:
        raise UnreadableFile(say("larger than {bytes:,} bytes: not read", bytes=MAX_SIDECAR_BYTES))
    text = decode(data)
    if not text.strip():
        raise UnreadableFile(say("it is empty; not read"))
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableFile(
            say("broken JSON in line {line}: {error}; not read", line=error.lineno, error=error.msg)
        ) from None
    except RecursionError:
        raise UnreadableFile(say("JSON nested too deep: not read")) from None
    except ValueError:  # a number with thousands of digits
        raise UnreadableFile(say("broken JSON: a number is too long; not read")) from None
    if not isinstance(value, dict):
        raise UnreadableFile(say("expected a JSON object ({{...}}); not read"))
    return value


def parse_text(text: object, max_chars: int = MAX_VALUE_CHARS) -> Any:
    """The JSON value in a text; None if it is broken, too long, or not a text."""
    if not isinstance(text, str) or not text or len(text) > max_chars:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def parse_object(text: object) -> dict[str, Any]:
    """The object that a text holds; {} if it holds none."""
    value = parse_text(text)
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list; [] for anything but a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def member(value: object, *keys: str) -> Any:
    """The value under nested `keys`; None if a level is missing or is not an object."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
