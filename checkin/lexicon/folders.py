"""What people call folders of models, in any language (folders.yaml)."""

from __future__ import annotations

import re
from pathlib import Path

from .data import phrases_in, read

_SAID = read(Path(__file__).with_suffix(".yaml"))


def _words(group: str) -> re.Pattern[str]:
    said = "|".join(map(re.escape, sorted(phrases_in(_SAID[group]), key=len, reverse=True)))
    return re.compile(rf"(?<![^\W\d_])(?:{said})(?![^\W\d_])")


DOWNLOADED, MINE, LOOKS = map(_words, ("downloaded", "mine", "looks"))
"""In a folder's name without capitals: that its models are others', the user's own, looks."""
OF_ME = frozenset(phrases_in(_SAID["me"]))
"""Names of folders with models of the user."""
