"""The folder of a user's settings, keys and history, and how its files are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...comfyui_folder import above
from ..lexicon.sentences import say

VARIABLE = "PERSONALQ_SETTINGS"
MAX_FILE_BYTES = 64 * 1024


def settings_folder() -> Path:
    """The folder of settings outside ComfyUI. It may not exist.

    $PERSONALQ_SETTINGS names it; else it is that of the ComfyUI in whose custom_nodes/ this pack
    lies, where it has one; else ~/.personalq. Raises ValueError where there is no home either.
    """
    if named := os.environ.get(VARIABLE):
        return Path(os.path.expanduser(named))
    for folder in above():
        if (of_comfyui := folder / "user" / "__personalq").is_dir():
            return of_comfyui
    try:
        return Path.home() / ".personalq"
    except RuntimeError:  # an account without one, as in some containers
        raise ValueError(f"there is no home folder: name one for settings in ${VARIABLE}") from None


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a small YAML file of `name: value` lines, with values as texts.

    Raises ValueError, which names the file.
    """
    from ..readers.header import UnreadableFile
    from ..readers.plain_yaml import load_plain

    if path.stat().st_size > MAX_FILE_BYTES:
        raise ValueError(
            say("{file} is larger than {bytes:,} bytes", file=path.name, bytes=MAX_FILE_BYTES)
        )
    try:
        found = load_plain(path.read_bytes())
    except UnreadableFile as error:
        raise ValueError(f"{path.name}: {error}") from None
    if found in (None, ""):
        return {}
    if not isinstance(found, dict):
        raise ValueError(say("{file}: expected lines of `name: ...`", file=path.name))
    return found
