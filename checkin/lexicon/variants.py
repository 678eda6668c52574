"""Other spellings of one word: British and American, numbers as words, endings, abbreviations."""

from __future__ import annotations

from functools import lru_cache

_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_SHORT = {"background": "bg", "pixel": "px", "isometric": "iso"}


@lru_cache(maxsize=20000)
def variants(word: str) -> frozenset[str]:
    """The word and its other spellings."""
    found = {word}
    if len(word) > 4:
        found.add(word.replace("our", "or"))
    if word.endswith("y"):
        found.add(f"{word[:-1]}ie")
    if word == "grey":
        found.add("gray")
    if word == "myself":
        found.add("me")
    found |= {table[word] for table in (_NUMBERS, _SHORT) if word in table}
    return frozenset(found)
