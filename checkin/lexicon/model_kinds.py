"""How people name kinds of model files (en/models.yaml)."""

from __future__ import annotations

from .english import rows, word_set

KINDS = rows("models", "kinds")
"""Kind -> the words for it."""
MIXES = word_set("choosing", "mixes")
"""Words for a checkpoint that is mixed of others; they are in the names of many."""
OTHER_KINDS = word_set("models", "other kinds")
"""Words for files of other kinds, which Check-in does not choose."""
