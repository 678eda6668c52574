"""The field table: for each field of a card, where it may come from, best first, and how it is
cleaned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from .base_models import covers, family
from .dates import parse_date
from .failures import reason
from .model_file import Fields, Report
from .text import MAX_ITEMS, MAX_WORDS_BYTES, plain, shorten, split_list
from .trigger_words import LOADS_A_MODEL, own_first, read_triggers

PRIORITY = {
    "triggers": (
        "sidecar swarm modelspec a1111 ssmd metadata.json rgthree civitai.info cm-info readme "
        "markdown usage_hint ai_toolkit kohya"
    ),
    "subjects": (
        "sidecar kohya metadata.json civitai.info cm-info rgthree swarm modelspec ssmd readme "
        "generated captions"
    ),
    "styles": (
        "sidecar metadata.json civitai.info cm-info rgthree swarm modelspec ssmd readme generated "
        "captions"
    ),
    "description": (
        "sidecar a1111 text swarm ssmd metadata.json civitai.info cm-info rgthree markdown "
        "modelspec kohya generated"
    ),
    "created_at": "sidecar kohya swarm modelspec metadata.json civitai.info rgthree file_time",
    "version": "sidecar file_name metadata.json civitai.info cm-info rgthree ssmd",
    "kind": (
        "sidecar tensors swarm modelspec kohya onetrainer metadata.json civitai.info cm-info "
        "rgthree"
    ),
    "base_model": (
        "sidecar swarm modelspec kohya onetrainer tensors metadata.json civitai.info cm-info "
        "rgthree readme markdown a1111"
    ),
    "base": "sidecar kohya onetrainer rgthree readme",
    "lineage": "sidecar",
    "sha256": "sidecar metadata.json rgthree cm-info civitai.info markdown",
    "previews": "sidecar file_name readme header_pictures",
    "strength": "sidecar metadata.json a1111 swarm modelspec",
    "resolution": "sidecar swarm modelspec",
    "steps": "sidecar",
    "cfg": "sidecar",
}
"""Field -> the readers that may fill it, in order. People come before tools, tools before guesses.

Among people, who has the model on this machine (our sidecar; SwarmUI's, A1111's and Lora-Manager's
notes) comes before who published it. What a program made up of pictures and captions ("generated")
comes after whatever a person or the trainer said of the field, and before a guess from captions; it
may fill no field that a wrong value makes unusable (trigger, date, version). Triggers: what is
called a trigger comes before what a folder of the training was called (kohya), as captions may have
replaced that. Dates: no reader gives a time of import; the file's own time is the last resort, and
approximate. Versions: the file's name comes before the version of a site, which counts for all
files of one page, and before ssmd, which its editor copies to all epochs. Kind: the tensors are
proof, the rest are claims. Hashes: those that a tool took of this very file (Lora-Manager, rgthree)
come first; a hash of the tensors alone is none of the file.
"""

_NOTHING: tuple[object, ...] = (None, "", [], ())


@dataclass(frozen=True)
class Merged:
    """The best value of each field, and the reader it came from."""

    values: Fields
    readers: dict[str, str]


def merge(found: Mapping[str, Fields], report: Callable[[str, str], None]) -> Merged:
    """Take each field from the first reader, in PRIORITY, whose value is usable.

    `report(reader, sentence)` is called for a value that is not. Triggers that no prompt can hold
    are the value "unusable", in words: who runs the model sees them on the node.
    """
    values: Fields = {}
    readers: dict[str, str] = {}
    for name, order in PRIORITY.items():
        for reader in order.split():
            try:
                value = clean(name, found.get(reader, {}).get(name), partial(report, reader))
            except Exception as error:
                report(reader, f"{reason(error)}; not used")
                continue
            if value is None:
                continue
            if name == "triggers" and reader != "sidecar":  # a person's order stays
                value = own_first(value)
            if name not in values or _refines(name, value, values[name], readers[name]):
                values[name], readers[name] = value, reader
            if name != "base_model":
                break
    if unusable := _unusable(found, readers.get("triggers")):
        values["unusable"] = unusable
    return Merged(values, readers)


def _unusable(found: Mapping[str, Fields], taken: str | None) -> tuple[str, ...]:
    """What is wrong with the triggers of the reader that was taken, and of those that come before
    it.
    """
    said: dict[str, None] = {}
    for reader in PRIORITY["triggers"].split():
        with suppress(ValueError):  # `merge` has reported it
            said.update(dict.fromkeys(unusable_triggers(found.get(reader, {}).get("triggers"))))
        if reader == taken:
            break
    return tuple(said)


def unusable_triggers(value: object) -> tuple[str, ...]:
    """What is said of each trigger that no prompt can hold: "'embedding:x' cannot be used in a
    prompt: it would ...".

    The tag of a LoRA loader beside a trigger is none. Raises ValueError as `clean` does.
    """
    kept, refused = read_triggers(value if value is not None else [])
    told = [one for one in refused if not (kept and one.why == LOADS_A_MODEL)]
    return tuple(f"{one.text[:40]!r} cannot be used in a prompt: {one.why}" for one in told)


def _refines(name: str, value: Any, known: Any, reader: str) -> bool:
    """Whether a later source names the base model more closely: "pony" where the header can only
    say "sdxl".
    """
    return name == "base_model" and reader != "sidecar" and value != known and covers(known, value)


def clean(name: str, value: object, report: Report) -> Any:
    """A field's value in the JSON-ready form that a card is kept in, or None where it says nothing.

    Raises ValueError for a value that cannot be used; `report` gets a trigger that is dropped from
    among others.
    """
    if value in _NOTHING:
        return None
    try:
        cleaned = _CLEANERS[name](value, report)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return None if cleaned in _NOTHING else cleaned


def _triggers(value: object, report: Report) -> tuple[str, ...]:
    """A trigger becomes part of a prompt, so nothing a prompt would obey (`<lora:...>`,
    `embedding:`) is let in.
    """
    kept, refused = read_triggers(value)
    if refused:
        more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
        report(f"trigger {refused[0].text[:40]!r}{more} dropped: {refused[0].why}")
    return kept


def _words(value: object, report: Report) -> tuple[str, ...]:
    return tuple(shorten(word, MAX_WORDS_BYTES) for word in split_list(value))


def _texts(value: object, report: Report) -> tuple[str, ...]:
    """File names, in which a comma is a comma."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError("expected a text or a list of texts")
    return tuple(value[:MAX_ITEMS])


def _text(value: object, report: Report) -> str:
    if not isinstance(value, str):
        raise ValueError("expected a text")
    return shorten(plain(value), MAX_WORDS_BYTES)


def _description(value: object, report: Report) -> str:
    if not isinstance(value, str):
        raise ValueError("expected a text")
    return shorten(plain(value))


def _version(value: object, report: Report) -> str:
    """Without the "v": "4" for "v4" and "version 4"."""
    return re.sub(r"^v(ersion)?[ .]*(?=\d)", "", _text(value, report), flags=re.IGNORECASE)


def _base_model(value: object, report: Report) -> str | None:
    if not isinstance(value, str):
        raise ValueError("expected a text")
    return family(value)


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


def _number(least: float, most: float, value: object, report: Report) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise ValueError(f"{str(value)[:40]!r} is no number from {least} to {most}")
    return number


def _steps(value: object, report: Report) -> int:
    steps = _number(1, 1000, value, report)
    if steps != int(steps):
        raise ValueError(f"{str(value)[:40]!r} is no whole number")
    return int(steps)


def _resolution(value: object, report: Report) -> str:
    """As "512x768" for "512 x 768", "(512, 768)" and [512, 768]; a number alone is a square."""
    found = re.fullmatch(
        r"\W*(\d{2,4})(?:\W*[x\u00d7,]\W*(\d{2,4}))?\W*", str(value)[:40], re.IGNORECASE
    )
    width, height = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 64 <= min(width, height) <= max(width, height) <= 8192:
        raise ValueError(f"{str(value)[:40]!r} is no size in pixels, like 512x768")
    return f"{width}x{height}"


_CLEANERS: dict[str, Callable[[Any, Report], Any]] = {
    "triggers": _triggers,
    "subjects": _words,
    "styles": _words,
    "description": _description,
    "created_at": lambda value, report: parse_date(value).isoformat(),
    "version": _version,
    "kind": _kind,
    "base_model": _base_model,
    "base": _text,
    "lineage": _text,
    "sha256": _sha256,
    "previews": _texts,
    "strength": partial(_number, -10, 10),
    "resolution": _resolution,
    "steps": _steps,
    "cfg": partial(_number, 0, 100),
}
