"""The fields that readers fill, and the cleaning of values from unknown sources."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from ..lexicon.base_models import family
from ..lexicon.samplers import sampler_and_scheduler, scheduler
from ..lexicon.sentences import say
from ..lexicon.text import printable
from .dates import parse_date
from .model_file import Report
from .text import MAX_ITEMS, MAX_WORDS_BYTES, shorten, split_list
from .trigger_words import LOADS_A_MODEL, read_triggers

YAML_NOTHING = (None, "", "~", "null", "Null", "NULL")
"""What YAML has for nothing; values are read as texts."""
_NOTHING: tuple[object, ...] = (None, "", [], (), {})
_NO_WORDS = ("", "none", "null")
"""What programs write for a value that there is not."""
MAX_VARIANTS, MAX_VARIANT_BYTES = 50, 400
MAX_CAPTIONS = 64
"""The most captions of a training that a card has."""


def unusable_triggers(value: object) -> tuple[str, ...]:
    """A sentence for each trigger that cannot be used in a prompt.

    For example "'embedding:x' cannot be used in a prompt: it would load an embedding". A LoRA
    loader's tag next to a usable trigger is not reported. Raises ValueError as `clean` does.
    """
    usable, refused = read_triggers(value if value is not None else [])
    told = [one for one in refused if not (usable and one.why == LOADS_A_MODEL)]
    return tuple(
        say("{trigger} cannot be used in a prompt: {why}", trigger=repr(one.text[:40]), why=one.why)
        for one in told
    )


def clean(name: str, value: object, report: Report) -> Any:
    """A field's value in the JSON-ready form that a card stores; None if it says nothing.

    Raises ValueError for a value that cannot be used. `report` is called for triggers that are
    dropped.
    """
    if value in _NOTHING or (isinstance(value, str) and value.strip().casefold() in _NO_WORDS):
        return None
    try:
        cleaned = _CLEANERS[name](value, report)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return None if cleaned in _NOTHING else cleaned


def _triggers(value: object, report: Report) -> tuple[str, ...]:
    """The usable triggers.

    A trigger becomes part of a prompt, so nothing that a prompt would act on (`<lora:...>`,
    `embedding:`) is accepted.
    """
    usable, refused = read_triggers(value)
    if refused:
        first, why, more = repr(refused[0].text[:40]), refused[0].why, len(refused) - 1
        report(
            say(
                "trigger {trigger} and {number} more dropped: {why}",
                trigger=first,
                number=more,
                why=why,
            )
            if more
            else say("trigger {trigger} dropped: {why}", trigger=first, why=why)
        )
    return usable


def _variants(value: object, report: Report) -> tuple[str, ...]:
    """Groups of usable triggers, each in one text; none where there is only one group."""
    groups = (", ".join(read_triggers(one)[0]) for one in _texts(value, report))
    found = tuple(dict.fromkeys(shorten(one, MAX_VARIANT_BYTES) for one in groups if one))
    return found[:MAX_VARIANTS] if len(found) > 1 and any("," in one for one in found) else ()


def _words(value: object, report: Report) -> tuple[str, ...]:
    return tuple(shorten(word, MAX_WORDS_BYTES) for word in split_list(value))


def _texts(value: object, report: Report) -> tuple[str, ...]:
    """File names; a comma is part of a name and does not separate names."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError(say("expected a text or a list of texts"))
    return tuple(value[:MAX_ITEMS])


def _text(value: object, report: Report) -> str:
    if not isinstance(value, str):
        raise ValueError(say("expected a text"))
    return shorten(printable(value), MAX_WORDS_BYTES)


def _description(value: object, report: Report) -> str:
    if not isinstance(value, str):
        raise ValueError(say("expected a text"))
    return shorten(printable(value))


def _version(value: object, report: Report) -> str:
    """The version without the "v": "4" for "v4" and "version 4"."""
    return re.sub(r"^v(ersion)?[ .]*(?=\d)", "", _text(value, report), flags=re.IGNORECASE)


def _base_model(value: object, report: Report) -> str | None:
    if not isinstance(value, str):
        raise ValueError(say("expected a text"))
    return family(value)


def _kind(value: object, report: Report) -> str:
    kind = str(value).casefold()
    if kind not in ("checkpoint", "lora"):
        raise ValueError(say("{value} is neither checkpoint nor lora", value=_shown(value)))
    return kind


def _origin(value: object, report: Report) -> str:
    origin = str(value).casefold()
    if origin not in ("trained", "downloaded"):
        raise ValueError(say("{value} is neither trained nor downloaded", value=_shown(value)))
    return origin


def _captions(value: object, report: Report) -> dict[str, float]:
    """Shares of pictures by caption, the most frequent first."""
    if not isinstance(value, dict):
        raise ValueError(say("expected a share for each caption"))
    shares = {
        shorten(printable(str(caption)), MAX_WORDS_BYTES): round(_number(0, 1, share, report), 2)
        for caption, share in value.items()
    }
    often = sorted(shares, key=lambda caption: -shares[caption])[:MAX_CAPTIONS]
    return {caption: shares[caption] for caption in often if caption}


def _sha256(value: object, report: Report) -> str:
    digest = str(value).casefold().removeprefix("0x")
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise ValueError(say("expected the 64 hexadecimal digits of a SHA-256"))
    return digest


def _number(least: float, most: float, value: object, report: Report) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise ValueError(
            say(
                "{value} is no number from {least} to {most}",
                value=_shown(value),
                least=least,
                most=most,
            )
        )
    return number


def _steps(value: object, report: Report) -> int:
    steps = _number(1, 1000, value, report)
    if steps != int(steps):
        raise ValueError(say("{value} is no whole number", value=_shown(value)))
    return int(steps)


def _sampler(value: object, report: Report) -> str:
    """The host's name. A scheduler after it belongs into the field of that name."""
    found, with_scheduler = sampler_and_scheduler(value)
    if found is None:
        raise ValueError(say("{value} is no sampler of ComfyUI", value=_shown(value)))
    if with_scheduler:
        raise ValueError(
            say(
                "{value} has a scheduler: `scheduler: {scheduler}`",
                value=_shown(value),
                scheduler=with_scheduler,
            )
        )
    return found


def _scheduler(value: object, report: Report) -> str:
    found = scheduler(value)
    if found is None:
        raise ValueError(say("{value} is no scheduler of ComfyUI", value=_shown(value)))
    return found


def _clip_skip(value: object, report: Report) -> int:
    """As A1111 counts (2), or as ComfyUI does (-2)."""
    skip = abs(_number(-12, 12, value, report))
    if skip not in range(1, 13):
        raise ValueError(say("{value} is no whole number from 1 to 12", value=_shown(value)))
    return int(skip)


def _negative(value: object, report: Report) -> str:
    """The text without what would load another model or an embedding."""
    return re.sub(r"<\w+:[^<>]*>|(?<!\S)embedding:", "", _description(value, report)).strip(" ,")


def _resolution(value: object, report: Report) -> str:
    """A size as "512x768", from "512 x 768", "(512, 768)" or [512, 768].

    A number alone is a square.
    """
    found = re.fullmatch(
        r"\W*(\d{2,4})(?:\W*[x\u00d7,]\W*(\d{2,4}))?\W*", str(value)[:40], re.IGNORECASE
    )
    width, height = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 64 <= min(width, height) <= max(width, height) <= 8192:
        raise ValueError(say("{value} is no size in pixels, like 512x768", value=_shown(value)))
    return f"{width}x{height}"


def _shown(value: object) -> str:
    return repr(str(value)[:40])


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
    "sampler": _sampler,
    "scheduler": _scheduler,
    "clip_skip": _clip_skip,
    "negative": _negative,
    "variants": _variants,
    "names": _words,
    "title": _text,
    "tags": _words,
    "captions": _captions,
    "origin": _origin,
}
FIELDS = tuple(_CLEANERS)
"""The fields of a card that a reader may fill, in the order in which people see them."""
