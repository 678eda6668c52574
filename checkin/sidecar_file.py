"""Writes our sidecar, `<model file name without ending>.personalq.yaml`: the only file we ever write beside a model.

An edit replaces the lines of one key; every other line, with the user's comments and order, stays as it is. Only a
comment within a list that is replaced goes with the list.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from .index import replace_file
from .readers.fields import clean
from .readers.header import UnreadableFile
from .readers.previews import named_previews
from .readers.sidecar import ENDING, GENERATED, GENERATED_KEYS, KEYS, LARGEST_SIDECAR, parse
from .readers.text import LONGEST_DESCRIPTION, LONGEST_WORDS, plain, shorten


def write_sidecar(model_path: str | os.PathLike[str], fields: Mapping[str, object]) -> Path:
    """Set fields of a model in its sidecar, which is made where there is none; None removes a field.

    Values are those of a card (readers/fields.py): texts, lists of texts, a date or its ISO 8601 text; `previews` are
    relative to the model's folder. Everything else in the file stays. Returns the sidecar's path.

    Raises ValueError, and writes nothing, for a field or value that a card cannot hold, and for a sidecar that is
    there and cannot be read.
    """
    path = _sidecar_of(Path(model_path))
    unknown = sorted(fields.keys() - KEYS)
    if unknown:
        raise ValueError(f"{', '.join(map(repr, unknown))} is no field of a card; the fields are {', '.join(KEYS)}")
    description = fields.get("description")
    if isinstance(description, str) and len(plain(description).encode()) > LONGEST_DESCRIPTION:
        raise ValueError(f"description: longer than {LONGEST_DESCRIPTION:,} bytes; shorten it")
    return _edit(path, {name: _checked(name, value, path.parent) for name, value in fields.items()})


def write_generated(model_path: str | os.PathLike[str], fields: Mapping[str, object], by: str, at: datetime) -> Path:
    """Put what a program found out of a model into the block `generated` of its sidecar, replacing an older block.

    `fields` are description, subjects or styles; `by` names the program, `at` is when it ran, with a zone. What a
    person wrote is not touched, and goes before it in the card. Returns the sidecar's path.

    Raises ValueError, and writes nothing, as `write_sidecar` does.
    """
    path = _sidecar_of(Path(model_path))
    unknown = sorted(fields.keys() - set(GENERATED_KEYS))
    if unknown:
        raise ValueError(f"{', '.join(map(repr, unknown))} is never generated, only {', '.join(GENERATED_KEYS)} are")
    if at.tzinfo is None:
        raise ValueError(f"{at.isoformat()} has no time zone; give one, as in datetime.now().astimezone()")
    cleaned = {name: _checked(name, value, path.parent) for name, value in fields.items()}
    said = {name: value for name, value in cleaned.items() if value is not None}
    block = {"by": shorten(plain(by), LONGEST_WORDS), "at": at.isoformat(timespec="seconds"), **said}
    return _edit(path, {GENERATED: block})


def _sidecar_of(model: Path) -> Path:
    """The sidecar of a model, under the name that it has when it is there, whose letters may be of any case."""
    if not model.is_file():
        raise ValueError(f"{model} is not there; a sidecar lies beside its model file")
    name = model.name.rpartition(".")[0] + ENDING
    with os.scandir(model.parent) as entries:
        same = [entry.name for entry in entries if entry.name.casefold() == name.casefold()]
    return model.with_name(same[0] if same and name not in same else name)


def _checked(name: str, value: object, folder: Path) -> Any:
    """The value as plain YAML can hold it. Raises ValueError for a value that cannot be used as it is."""

    def refuse(said: str) -> None:
        raise ValueError(said)

    cleaned = clean(name, value, refuse)
    if name == "previews" and cleaned:
        named_previews(folder, list(cleaned), refuse)
    if value is not None and cleaned is None:
        raise ValueError(f"{name}: {str(value)[:40]!r} says nothing; None removes the field")
    if isinstance(cleaned, float):
        return f"{cleaned:g}"
    return list(cleaned) if isinstance(cleaned, tuple) else cleaned


def _edit(path: Path, changes: Mapping[str, Any]) -> Path:
    if path.is_symlink():
        raise ValueError(f"{path.name} is a link, and links are not written; put the file itself there")
    old = path.read_bytes() if path.exists() else b""
    try:
        if len(old) > LARGEST_SIDECAR:
            raise UnreadableFile(f"larger than {LARGEST_SIDECAR:,} bytes")
        before = parse(old)
        after = _replaced(old.decode("utf-8-sig"), before, changes).encode()
        if not _says(after, {key: value for key, value in {**before, **changes}.items() if value is not None}):
            raise UnreadableFile("it is written in a way that cannot be edited safely")
    except UnreadableFile as error:
        raise ValueError(f"{path.name} was left as it is: {error}. Correct it or move it away, and try again") from None
    if len(after) > LARGEST_SIDECAR:
        raise ValueError(f"{path.name} was left as it is: it would be larger than {LARGEST_SIDECAR:,} bytes")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    replace_file(path, after)
    path.chmod(mode)
    return path


def _replaced(text: str, before: Mapping[str, object], changes: Mapping[str, Any]) -> str:
    """The text with the lines of some keys replaced, removed, or added at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    spans = _spans(text) if before else {}
    for key in sorted(changes, key=lambda key: spans.get(key, (0, 0))[0], reverse=True):
        if key in spans:
            start, end = spans[key]
            line_end = text.find("\n", end) + 1 or len(text)
            rest = text[end:line_end].strip()  # a comment behind the value
            lines = _lines(key, changes[key], newline, rest)
            text = text[:start] + lines + text[line_end:]
    added = "".join(_lines(key, value, newline) for key, value in changes.items() if key not in spans)
    if added and text and not text.endswith("\n"):
        text += newline
    return text + added


def _lines(key: str, value: Any, newline: str, comment: str = "") -> str:
    import yaml

    if value is None:
        return ""
    written = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False, width=2**20)
    first, _, rest = written.partition("\n")
    return f"{first}  {comment}\n{rest}".replace("\n", newline) if comment else written.replace("\n", newline)


def _spans(text: str) -> dict[str, tuple[int, int]]:
    """Where each key of the file begins, and where its value ends, as offsets into the text."""
    import yaml

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise UnreadableFile("it is not written as one `key: value` per line")
    return {key.value: (key.start_mark.index, _end(text, value)) for key, value in root.value}


def _end(text: str, node: Any) -> int:
    """The offset behind the last character of a value; the parser counts comments below a list to the list."""
    if not isinstance(node.value, str) and not node.flow_style:
        last = node.value[-1]  # a block is never empty
        return _end(text, last[1] if isinstance(last, tuple) else last)
    index = int(node.end_mark.index)
    return len(text[:index].rstrip()) if getattr(node, "style", None) in ("|", ">") else index


def _says(data: bytes, wanted: Mapping[str, object]) -> bool:
    """Whether exactly this is read: nothing that was not asked for may change, however the file was written."""
    try:
        return parse(data) == wanted
    except UnreadableFile:
        return False
