"""The field table: for each field of a card, where it may come from, best first, and how it is cleaned."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from .base_models import family
from .dates import parse_date
from .model_file import Fields, Report
from .text import LONGEST_WORDS, plain, shorten, split_list

PRIORITY = {
    "triggers": "sidecar modelspec a1111 civitai.info metadata.json kohya",
    "subjects": "sidecar kohya civitai.info metadata.json modelspec",
    "styles": "sidecar civitai.info metadata.json modelspec",
    "description": "sidecar a1111 metadata.json civitai.info modelspec kohya",
    "created_at": "sidecar kohya modelspec civitai.info metadata.json file_time",
    "version": "sidecar file_name civitai.info metadata.json",
    "kind": "sidecar modelspec kohya tensors civitai.info metadata.json",
    "base_model": "sidecar modelspec kohya tensors civitai.info metadata.json a1111",
    "base": "sidecar kohya",
    "lineage": "sidecar",
    "sha256": "sidecar metadata.json civitai.info",
    "previews": "sidecar file_name",
    "strength": "sidecar metadata.json a1111",
}
"""Field -> the readers that may fill it, in order. People come before tools, tools before guesses."""

_NOTHING: tuple[object, ...] = (None, "", [], ())
_TRIGGER = re.compile(r"[\w<>\-.' ]{1,64}")


@dataclass(frozen=True)
class Merged:
    """The best value of each field, and the reader it came from."""

    values: Fields
    readers: dict[str, str]


def merge(found: Mapping[str, Fields], report: Callable[[str, str], None]) -> Merged:
    """Take each field from the first reader, in PRIORITY, whose value is usable.

    `report(reader, sentence)` is called for a value that is not.
    """
    values: Fields = {}
    readers: dict[str, str] = {}
    for name, order in PRIORITY.items():
        for reader in order.split():
            try:
                value = clean(name, found.get(reader, {}).get(name), partial(report, reader))
            except ValueError as error:
                report(reader, f"{error}; not used")
                continue
            if value is not None:
                values[name], readers[name] = value, reader
                break
    return Merged(values, readers)


def clean(name: str, value: object, report: Report) -> Any:
    """A field's value in the JSON-ready form that a card is kept in, or None where it says nothing.

    Raises ValueError for a value that cannot be used; `report` gets a trigger that is dropped from among others.
    """
    if value in _NOTHING:
        return None
    try:
        cleaned = _CLEANERS[name](value, report)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return None if cleaned in _NOTHING else cleaned


def _triggers(value: object, report: Report) -> tuple[str, ...]:
    """A trigger becomes part of a prompt, so nothing a prompt would obey (`<lora:...>`, `embedding:`) is let in."""
    kept = []
    for trigger in split_list(value):
        if _TRIGGER.fullmatch(trigger):
            kept.append(trigger)
        else:
            report(f"trigger {trigger[:40]!r} dropped: at most 64 letters, digits, spaces and < > - . ' are allowed")
    return tuple(kept)


def _words(value: object, report: Report) -> tuple[str, ...]:
    return tuple(shorten(word, LONGEST_WORDS) for word in split_list(value))


def _texts(value: object, report: Report) -> tuple[str, ...]:
    """File names, in which a comma is a comma."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError("expected a text or a list of texts")
    return tuple(value)


def _text(value: object, report: Report) -> str:
    if not isinstance(value, str):
        raise ValueError("expected a text")
    return shorten(plain(value), LONGEST_WORDS)


def _description(value: object, report: Report) -> str:
    if not isinstance(value, str):
        raise ValueError("expected a text")
    return shorten(plain(value))


def _version(value: object, report: Report) -> str:
    """Without the "v": "4" for "v4" and "version 4"."""
    return re.sub(r"^v(ersion)?[ .]*(?=\d)", "", _text(value, report), flags=re.IGNORECASE)


def _kind(value: object, report: Report) -> str:
    kind = str(value).casefold()
    if kind not in ("checkpoint", "lora"):
        raise ValueError(f"{str(value)[:40]!r} is neither checkpoint nor lora")
    return kind


def _sha256(value: object, report: Report) -> str:
    digest = str(value).casefold().removeprefix("0x")
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise ValueError("expected the 64 hexadecimal digits of a SHA-256")
    return digest


def _strength(value: object, report: Report) -> float:
    try:
        strength = float(str(value))
    except ValueError:
        strength = math.nan
    if not -10 <= strength <= 10:
        raise ValueError(f"{str(value)[:40]!r} is no number from -10 to 10")
    return strength


_CLEANERS: dict[str, Callable[[Any, Report], Any]] = {
    "triggers": _triggers,
    "subjects": _words,
    "styles": _words,
    "description": _description,
    "created_at": lambda value, report: parse_date(value).isoformat(),
    "version": _version,
    "kind": _kind,
    "base_model": lambda value, report: family(value),
    "base": _text,
    "lineage": _text,
    "sha256": _sha256,
    "previews": _texts,
    "strength": _strength,
}
