"""Keys, from the environment or a file that only its owner may read.

They never travel with a workflow.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..user.settings import read_yaml
from .profile import Profile
from .prompt import NoAnswer

FILE = "secrets.yaml"
"""In the settings folder: name of a profile -> its key."""
ANY = "PERSONALQ_API_KEY"
"""An environment variable that holds for every profile."""


def key_of(profile: Profile, settings: Path | None) -> str:
    """The key of a profile; a made-up one for a server on this machine, which asks for none.

    Raises NoAnswer where there is none, or the file may be read by others.
    """
    for name in (*profile.keys, ANY):
        if key := os.environ.get(name, "").strip():
            return key
    if key := _stored(profile, settings):
        return key
    if profile.local:
        return "none-needed"
    named = " or ".join((*profile.keys[:1], ANY))
    raise NoAnswer(
        f"no key is set for '{profile.name}': set {named}, or write it into {FILE} of the settings "
        "folder"
    )


def _stored(profile: Profile, settings: Path | None) -> str:
    path = settings / FILE if settings else None
    if path is None or not path.is_file():
        return ""
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise NoAnswer(f"{FILE} can be read by others on this machine: run `chmod 600 '{path}'`")
    try:
        return str(read_yaml(path).get(profile.name) or "").strip()
    except ValueError:
        # What the parser says of it would quote the file.
        raise NoAnswer(
            f"{FILE} cannot be read: it needs one line `name of the profile: key` for each"
        ) from None
