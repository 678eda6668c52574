"""Edits the user's small YAML files, and leaves what the user wrote there unchanged.

An edit replaces the lines of one key. Every other line stays as it is, with the user's comments and
order. The only exception: a comment inside a list that is replaced is lost with the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...atomic_write import alone, written_whole
from ..lexicon.sentences import say
from ..readers.encoding import decode, mark_and_encoding
from ..readers.header import UnreadableFile
from ..readers.sidecar import MAX_SIDECAR_BYTES as MAX_FILE_BYTES
from ..readers.sidecar import parse as parse_yaml

_TRIES = 20
"""How often an edit begins anew because an editor saved the file meanwhile."""


def edit_yaml(path: Path, changes: Mapping[str, Any]) -> Path:
    """Set keys of a small file of `key: value` lines; None removes a key.

    A missing file is created, and what another program saves meanwhile stays. Values are texts,
    lists of texts, or mappings of these. Returns the path. Raises ValueError, and writes nothing,
    for a file that is a link or no file, cannot be read, or is written in a way that cannot be
    edited safely; FileInUse if another program has it open.
    """
    if path.is_symlink():
        raise ValueError(
            say(
                "{file} is a link, and links are not written; put the file itself there",
                file=path.name,
            )
        )
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise _left(path, say("it is a folder or a pipe"))
    with alone(path):
        for _ in range(_TRIES):
            old = _bytes_of(path)
            after = _edited(path, old, changes)
            try:
                with written_whole(path) as part:
                    part.write_bytes(after)
                    if _bytes_of(path) != old:
                        raise _ChangedMeanwhile
            except _ChangedMeanwhile:
                continue
            return path
    raise _left(path, say("another program keeps changing it"))


def _left(path: Path, error: object) -> ValueError:
    return ValueError(
        say(
            "{file} was left as it is: {error}. Correct it or move it away, and try again",
            file=path.name,
            error=error,
        )
    )


class _ChangedMeanwhile(Exception):
    """The file is not the one that was edited."""


def _bytes_of(path: Path) -> bytes:
    """What is in a file; b"" if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _edited(path: Path, old: bytes, changes: Mapping[str, Any]) -> bytes:
    """The bytes of the edited file. Raises ValueError."""
    try:
        if len(old) > MAX_FILE_BYTES:
            raise UnreadableFile(say("larger than {bytes:,} bytes", bytes=MAX_FILE_BYTES))
        before = parse_yaml(old)
        mark, encoding = mark_and_encoding(old)
        after = mark + _replaced(decode(old), before, changes).encode(encoding)
        if not _says(
            after, {key: value for key, value in {**before, **changes}.items() if value is not None}
        ):
            raise UnreadableFile(say("it is written in a way that cannot be edited safely"))
    except UnreadableFile as error:
        raise _left(path, error) from None
    if len(after) > MAX_FILE_BYTES:
        raise ValueError(
            say(
                "{file} was left as it is: it would be larger than {bytes:,} bytes",
                file=path.name,
                bytes=MAX_FILE_BYTES,
            )
        )
    return after


def _replaced(text: str, before: Mapping[str, object], changes: Mapping[str, Any]) -> str:
    """The text with the lines of some keys replaced, removed, or added at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    spans = _spans(text) if before else {}
    for key in sorted(changes, key=lambda key: spans.get(key, (0, 0))[0], reverse=True):
        if key in spans:
            start, end = spans[key]
            line_end = text.find("\n", end) + 1 or len(text)
            rest = text[end:line_end].strip()  # a comment after the value
            lines = _lines(key, changes[key], newline, rest)
            text = text[:start] + lines + text[line_end:]
    added = "".join(
        _lines(key, value, newline) for key, value in changes.items() if key not in spans
    )
    if added and text and not text.endswith("\n"):
        text += newline
    return text + added


def _lines(key: str, value: Any, newline: str, comment: str = "") -> str:
    import yaml

    if value is None:
        return ""
    written = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False, width=2**20)
    first, _, rest = written.partition("\n")
    return (
        f"{first}  {comment}\n{rest}".replace("\n", newline)
        if comment
        else written.replace("\n", newline)
    )


def _spans(text: str) -> dict[str, tuple[int, int]]:
    """Where each key of the file begins, and where its value ends, as offsets into the text."""
    import yaml

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise UnreadableFile("it is not written as one `key: value` per line")
    return {key.value: (key.start_mark.index, _end(text, value)) for key, value in root.value}


def _end(text: str, node: Any) -> int:
    """The offset after the last character of a value.

    The parser would count comments below a list as part of the list.
    """
    if not isinstance(node.value, str) and not node.flow_style:
        last = node.value[-1]  # a block is never empty
        return _end(text, last[1] if isinstance(last, tuple) else last)
    index = int(node.end_mark.index)
    return len(text[:index].rstrip()) if getattr(node, "style", None) in ("|", ">") else index


def _says(data: bytes, wanted: Mapping[str, object]) -> bool:
    """Whether `data` reads as exactly `wanted`.

    An edit may change nothing else, however the file was written.
    """
    try:
        return parse_yaml(data) == wanted
    except UnreadableFile:
        return False
