"""The reason, in words for the user, why one file was left out."""

from __future__ import annotations

import re

NOT_TEXT = "its name is not UTF-8 text; rename it"
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_MAX_CHARS = 200
"""Characters of an error's own message."""


def reason(error: Exception) -> str:
    """Why a file could not be used, and what to do about it.

    Our readers say with a ValueError what is wrong with a file, the system says with an OSError why
    it cannot be read. Any other exception is a mistake of ours that only this file brings out.
    """
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror or type(error).__name__})"
    if lasting(error):
        return str(error)
    said = f"{type(error).__name__}: {error}"[:_MAX_CHARS]
    return f"PersonalQ failed on it ({said}); please report this"


def lasting(error: Exception) -> bool:
    """Whether the same file will fail in the same way: its content is wrong, rather than the disk
    or the program.
    """
    return isinstance(error, ValueError) and not isinstance(error, UnicodeError)


def is_text(name: str) -> bool:
    """Whether the name of a file can be written as UTF-8, as the index, JSON and ComfyUI need
    it.
    """
    try:
        name.encode()
    except UnicodeError:
        return False
    return True


def shown(text: str) -> str:
    r"""The text, safe to print: control characters and broken ones as "\\n", "\\udce4"."""
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], text)
