"""Writes our sidecar, `<model file name without ending>.personalq.yaml`.

Next to a model, PersonalQ writes only this file and, by a button, its preview. Lines that an edit
does not change stay as they are (user/yaml_file.py).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..lexicon.sentences import say
from ..lexicon.text import printable
from ..readers.fields import clean
from ..readers.previews import named_previews
from ..readers.sidecar import ENDING, GENERATED, GENERATED_KEYS, KEYS, load
from ..readers.text import MAX_DESCRIPTION_BYTES, MAX_WORDS_BYTES, shorten, split_list
from ..user.yaml_file import edit_yaml
from .folders import MODEL_ENDINGS, spelt_alike, without_ending

MAX_NAMES = 20
"""The most names of one model that are written."""
MAX_NAME_CHARS = 40
"""The most characters of a name that is written."""
_SIGNS = "< > { } [ ] | \\"
_NO_NAME = re.compile(r"[<>{}\[\]|\\]")


def write_sidecar(model_path: str | os.PathLike[str], fields: Mapping[str, object]) -> Path:
    """Set fields of a model in its sidecar, which is created if missing; None removes a field.

    Values are those of a card (readers/fields.py): texts, lists of texts, a date or its ISO 8601
    text. `previews` are paths relative to the model's folder. Everything else in the file stays.
    Returns the sidecar's path.

    Raises ValueError, and writes nothing, for a field or value that a card cannot have, and for an
    existing sidecar that cannot be read.
    """
    path = _sidecar_of(Path(model_path))
    unknown = sorted(fields.keys() - KEYS)
    if unknown:
        raise ValueError(
            f"{', '.join(map(repr, unknown))} is no field of a card; the fields are "
            f"{', '.join(KEYS)}"
        )
    description = fields.get("description")
    if (
        isinstance(description, str)
        and len(printable(description).encode()) > MAX_DESCRIPTION_BYTES
    ):
        raise ValueError(
            say("description: longer than {bytes:,} bytes; shorten it", bytes=MAX_DESCRIPTION_BYTES)
        )
    return edit_yaml(
        path, {name: _checked(name, value, path.parent) for name, value in fields.items()}
    )


def write_generated(
    model_path: str | os.PathLike[str], fields: Mapping[str, object], by: str, at: datetime
) -> Path:
    """Write what a program found out about a model into the block `generated` of its sidecar.

    An older block is replaced. `fields` are description, subjects or styles; `by` names the
    program, `at` is when it ran, with a time zone. What a person wrote is not changed, and
    overrides the block in the card. Returns the sidecar's path.

    Raises ValueError, and writes nothing, as `write_sidecar` does.
    """
    path = _sidecar_of(Path(model_path))
    unknown = sorted(fields.keys() - set(GENERATED_KEYS))
    if unknown:
        raise ValueError(
            f"{', '.join(map(repr, unknown))} is never generated, only "
            f"{', '.join(GENERATED_KEYS)} are"
        )
    if at.tzinfo is None:
        raise ValueError(
            f"{at.isoformat()} has no time zone; give one, as in datetime.now().astimezone()"
        )
    cleaned = {name: _checked(name, value, path.parent) for name, value in fields.items()}
    said = {name: value for name, value in cleaned.items() if value is not None}
    block = {
        "by": shorten(printable(by), MAX_WORDS_BYTES),
        "at": at.isoformat(timespec="seconds"),
        **said,
    }
    return edit_yaml(path, {GENERATED: block})


def generated_at(model_path: str | os.PathLike[str]) -> datetime | None:
    """When a program wrote the block `generated` of a model's sidecar; None if nothing says so."""
    model = Path(model_path)
    usual = model.with_name(without_ending(model.name) + ENDING)
    try:
        block = load(usual if usual.is_file() else _sidecar_of(model)).get(GENERATED)
        at = datetime.fromisoformat(str(block.get("at")) if isinstance(block, dict) else "")
    except (ValueError, OSError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _sidecar_of(model: Path) -> Path:
    """The path of a model's sidecar.

    The name of an existing sidecar may differ in case or in how its accents are written, unless
    that is the sidecar of another model whose name differs only so. Of several, it is the one that
    a scan reads.
    """
    if not model.is_file():
        raise ValueError(f"{model} is not there; a sidecar lies beside its model file")
    name = without_ending(model.name) + ENDING
    present = os.listdir(model.parent)
    others = {
        without_ending(one) + ENDING for one in present if one.casefold().endswith(MODEL_ENDINGS)
    } - {name}
    alike = spelt_alike(name)
    same = [one for one in present if spelt_alike(one) == alike and one not in others]
    return model.with_name(max(same) if same and name not in same else name)


def _names(written: object, cleaned: Sequence[str]) -> list[str]:
    """What a user calls a model, each name once. Raises ValueError for what is no name."""
    for one in split_list(written):
        if len(one) > MAX_NAME_CHARS:
            raise ValueError(
                say(
                    "names: {name}... is longer than {number} characters",
                    name=repr(one[:MAX_NAME_CHARS]),
                    number=MAX_NAME_CHARS,
                )
            )
        if _NO_NAME.search(one) or not any(map(str.isalnum, one)):
            raise ValueError(
                say(
                    "names: {name} is no name; it needs a letter or digit, and none of {signs}",
                    name=repr(one),
                    signs=_SIGNS,
                )
            )
    found: dict[str, str] = {}
    for one in cleaned:
        found.setdefault(one.casefold(), one)
    if len(found) > MAX_NAMES:
        raise ValueError(say("names: more than {number}; remove one first", number=MAX_NAMES))
    return list(found.values())


def _checked(name: str, value: object, folder: Path) -> Any:
    """The value in a form for plain YAML.

    Raises ValueError for a value that cannot be used as it is.
    """

    def refuse(said: str) -> None:
        raise ValueError(said)

    cleaned = clean(name, value, refuse)
    if name == "previews" and cleaned:
        named_previews(folder, list(cleaned), refuse)
    if value is not None and cleaned is None:
        raise ValueError(f"{name}: {str(value)[:40]!r} says nothing; None removes the field")
    if name == "names" and cleaned:
        return _names(value, cleaned)
    if isinstance(cleaned, int | float):
        return f"{cleaned:g}"
    return list(cleaned) if isinstance(cleaned, tuple) else cleaned
