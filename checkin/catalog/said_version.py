"""How the version of a model is said: "v3", or "step 2000" where a trainer numbered its builds."""

from __future__ import annotations

from ..lexicon.sentences import say, sentence
from ..readers.file_name import counted_in
from .cards import Card

_COUNTED = {"step": sentence("step {number}"), "epoch": sentence("epoch {number}")}


def version_in_short(card: Card) -> str:
    """The version for small print; "" if it is not known."""
    version = card.version or ""
    return _counted(card) or (f"v{version.removeprefix('v').removeprefix('V')}" if version else "")


def version_in_words(card: Card) -> str:
    """The version for a sentence; "" if it is not known."""
    version = card.version
    return _counted(card) or (say("version {version}", version=version) if version else "")


def _counted(card: Card) -> str:
    """The step or epoch that a trainer wrote into the file's name, where that is the version."""
    unit = counted_in(card.name) if card.sources.get("version") == "file name" else None
    return say(_COUNTED[unit], number=card.version) if unit else ""
