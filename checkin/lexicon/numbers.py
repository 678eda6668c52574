"""Number words (en/numbers.yaml)."""

from __future__ import annotations

from .english import phrases, rows

CARDINALS = {word: number for number, word in enumerate(phrases("numbers", "cardinals"), 1)}
ORDINAL_NUMBERS = {word: number for number, word in enumerate(phrases("numbers", "ordinals"), 1)}
_AMOUNTS = {word: int(number) for number, of in rows("numbers", "amounts").items() for word in of}
AMOUNTS = CARDINALS | _AMOUNTS
"""Words for how many there are: "three", "a couple of"."""
ROUGH_AMOUNTS = frozenset(word for word, number in _AMOUNTS.items() if 2 <= number <= 4)
"""Those that say it roughly: "a few"."""
