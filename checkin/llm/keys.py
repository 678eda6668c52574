"""API keys, from the environment or a file that only its owner may read.

They are never stored in a workflow.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..lexicon.sentences import listed, say
from ..user.settings import read_yaml
from .profile import Profile
from .prompt import NoAnswer

FILE = "secrets.yaml"
"""In the settings folder: name of a profile -> its key."""
ANY = "PERSONALQ_API_KEY"
"""The environment variable whose key counts for every profile."""


def key_of(profile: Profile, settings: Path | None) -> str:
    """The API key of a profile; a placeholder for a server on this machine, which needs none.

    Raises NoAnswer if there is no key, or if others may read the file.
    """
    for name in (*profile.keys, ANY):
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
            variables=listed((*profile.keys[:1], ANY)),
            file=FILE,
        )
    )


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
    except ValueError:
        # The parser's message would quote the file, and so a key.
        raise NoAnswer(
            say(
                "{file} cannot be read: it needs one line `name of the profile: key` for each",
                file=FILE,
            )
        ) from None
