"""Words for relatives (en/kin.yaml), in the languages in which people call their own."""

from __future__ import annotations

from .english import rows

KIN = {
    word: frozenset(group) - {word} for group in rows("kin", "relatives").values() for word in group
}
"""Word -> other words for the same relative."""
