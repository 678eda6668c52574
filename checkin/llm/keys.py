"""API keys, from the environment or a file that only its owner may read.

They are never stored in a workflow.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from ..lexicon.sentences import listed, say
from ..user.preferences import load_preferences
from ..user.settings import read_yaml
from .profile import Profile
from .prompt import NoAnswer

FILE = "secrets.yaml"
"""In the settings folder: name of a profile -> its key."""
ANY = "PERSONALQ_API_KEY"
"""The environment variable whose key counts for the reasoner of the user's settings alone.

With `_` and the name of a profile after it, it is the key of that profile.
"""


def key_of(profile: Profile, settings: Path | None) -> str:
    """The API key of a profile; a placeholder for a server on this machine, which needs none.

    Raises NoAnswer if there is none that can be sent, or if others may read the file.
    """
    key = _found(profile, settings)
    if not (key.isascii() and key.isprintable()):
        raise NoAnswer(
            say(
                "the key for '{name}' has a character that no key has, such as a long dash: copy "
                "it again",
                name=profile.name,
            )
        )
    return key


def _found(profile: Profile, settings: Path | None) -> str:
    own = f"{ANY}_{re.sub('[^A-Z0-9]+', '_', profile.name.upper())}"
    for name in (*profile.keys, own, *([ANY] if _is_set_for(profile, settings) else [])):
        if key := os.environ.get(name, "").strip():
            return key
    if key := _stored(profile, settings):
        return key
    if profile.local:
        return "none-needed"
    raise NoAnswer(
        say(
            "no key is set for '{name}': set {variables}, or write it into {file} of the settings "
            "folder",
            name=profile.name,
            variables=listed((*profile.keys[:1], own)),
            file=FILE,
        )
    )


def _is_set_for(profile: Profile, settings: Path | None) -> bool:
    """Whether the key for any reasoner is for this one: a workflow may name another one.

    Servers on this machine get none: whatever listens there would read it.
    """
    if profile.local or settings is None:
        return False
    try:
        return load_preferences(settings).reasoner == profile.name
    except ValueError:  # the settings are broken, which is said elsewhere
        return False


def _stored(profile: Profile, settings: Path | None) -> str:
    path = settings / FILE if settings else None
    if path is None or not path.is_file():
        return ""
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise NoAnswer(
            say(
                "{file} can be read by others on this machine: run `chmod 600 '{path}'`",
                file=FILE,
                path=path,
            )
        )
    try:
        return str(read_yaml(path).get(profile.name) or "").strip()
    except (ValueError, OSError):  # it may be another user's
        # The parser's message would quote the file, and so a key.
        raise NoAnswer(
            say(
                "{file} cannot be read: it needs one line `name of the profile: key` for each",
                file=FILE,
            )
        ) from None
