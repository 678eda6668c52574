"""Merges what all readers found into one value for each field of a card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..lexicon.base_models import covers
from ..lexicon.sentences import say
from . import READERS
from .failures import reason
from .fields import FIELDS, clean, unusable_triggers
from .model_file import Fields
from .trigger_words import own_first, with_words_of


def _ranked(field: str) -> tuple[str, ...]:
    """The readers that may fill a field, the lowest rank first."""
    filling = [reader for reader in READERS if field in reader.ranks]
    return tuple(one.name for one in sorted(filling, key=lambda one: one.ranks[field]))


PRECEDENCE = {field: _ranked(field) for field in FIELDS}
"""Field -> the names of the readers that may fill it, best first."""


@dataclass(frozen=True)
class Merged:
    """The best value of each field, and the reader it came from."""

    values: Fields
    readers: dict[str, str]


def merge(found: Mapping[str, Fields], report: Callable[[str, str], None]) -> Merged:
    """Take each field from the reader with the lowest rank whose value is usable.

    `report(reader, sentence)` is called for a value that is not usable. Triggers that cannot be
    used in a prompt are described in the value "unusable", which the node shows to the user.
    """
    values: Fields = {}
    readers: dict[str, str] = {}
    for name, order in PRECEDENCE.items():
        for reader in order:
            try:
                value = clean(name, found.get(reader, {}).get(name), partial(report, reader))
            except Exception as error:
                report(reader, say("{reason}; not used", reason=reason(error)))
                continue
            if value is None:
                continue
            if name == "triggers" and reader != "sidecar":  # the person's order is not changed
                value = own_first(value)
            if name not in values or _refines(name, value, values[name], readers[name]):
                values[name], readers[name] = value, reader
            if name not in ("base_model", "version"):
                break
    if "triggers" in values and readers.get("variants") == "sidecar":
        values["triggers"] = with_words_of(values["variants"], values["triggers"])
    if unusable := _unusable(found, readers.get("triggers")):
        values["unusable"] = unusable
    return Merged(values, readers)


def _unusable(found: Mapping[str, Fields], taken: str | None) -> tuple[str, ...]:
    """What is wrong with the triggers of the reader that was taken.

    The triggers of readers that come before it are included.
    """
    said: dict[str, None] = {}
    for reader in PRECEDENCE["triggers"]:
        with suppress(ValueError):  # `merge` has reported it
            said.update(dict.fromkeys(unusable_triggers(found.get(reader, {}).get("triggers"))))
        if reader == taken:
            break
    return tuple(said)


def _refines(name: str, value: Any, known: Any, reader: str) -> bool:
    """Whether a later source says the same more closely.

    It may be "pony" where the header can only say "sdxl", and "1.0" for the "v10" of a file's name,
    in which a site leaves out the dot.
    """
    if name == "version":
        return reader == "file_name" and value != known and value.replace(".", "") == known
    return reader != "sidecar" and value != known and covers(known, value)
