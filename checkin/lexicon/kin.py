"""Words for relatives, in the languages in which people call their own."""

from __future__ import annotations

_RELATIVES = (
    "mum mom mam mama mother mutter mutti mummy mommy ma",
    "dad father papa vati vater tad daddy pa",
    "grandmother gran granny nan nana nain oma grandma",
    "grandfather grandpa granddad grandad opa taid",
    "aunt auntie tante modryb",
    "uncle onkel ewythr",
    "sister schwester chwaer",
    "brother bruder brawd",
    "daughter tochter",
    "wife frau",
    "husband",
)
KIN: dict[str, frozenset[str]] = {
    word: frozenset(group.split()) - {word} for group in _RELATIVES for word in group.split()
}
"""Word -> other words for the same relative."""
