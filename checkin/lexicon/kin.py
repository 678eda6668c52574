"""Words for relatives (en/kin.yaml), in the languages in which people call their own."""

from __future__ import annotations

from .english import rows, word_set

KIN = {
    word: frozenset(group) - {word} for group in rows("kin", "relatives").values() for word in group
}
"""Word -> other words for the same relative."""
RELATIVES = {*KIN, *word_set("kin", "women"), *word_set("kin", "men")}
"""These, and others who are somebody's: a girlfriend, a nephew."""
