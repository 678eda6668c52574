"""Reasons, in words for the user, why a file was left out."""

from __future__ import annotations

import re

from ..lexicon.sentences import say, sentence

NOT_TEXT = sentence("its name is not UTF-8 text; rename it")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_MAX_CHARS = 200
"""The most characters of an error's own message."""


def reason(error: Exception) -> str:
    """Why a file could not be used, and what to do about it.

    A ValueError comes from our readers and says what is wrong with the file. An OSError comes from
    the system and says why the file cannot be read. Any other exception is a bug of ours that this
    file triggers.
    """
    if isinstance(error, OSError):
        return say("cannot be read ({why})", why=error.strerror or type(error).__name__)
    if lasting(error):
        return str(error)
    said = f"{type(error).__name__}: {error}"[:_MAX_CHARS]
    return say("PersonalQ failed on it ({error}); please report this", error=said)


def lasting(error: Exception) -> bool:
    """Whether the same file will fail again in the same way.

    That is so if its content is wrong, and not if the disk or the program failed.
    """
    return isinstance(error, ValueError) and not isinstance(error, UnicodeError)


def is_text(text: str) -> bool:
    """Whether a text, such as the name of a file, can be written as UTF-8.

    The index, JSON and ComfyUI need this.
    """
    try:
        text.encode()
    except UnicodeError:
        return False
    return True


def shown(text: str) -> str:
    r"""The text, safe to print: control and broken characters become "\n", "\udce4"."""
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], text)
