"""Where the characters of a text stood in the request that it was made from."""

from __future__ import annotations

import difflib
import re

Span = tuple[int, int]
_TOKEN = re.compile(r"\w+|\W")


class Origins:
    """The place in the request of each character of a text that is changed step by step."""

    def __init__(self, request: str) -> None:
        self._at = list(range(len(request)))

    def follow(self, before: str, after: str) -> str:
        """Take over a change of the text from `before` to `after`, word by word; return `after`."""
        if before == after:
            return after
        old, new = _TOKEN.findall(before), _TOKEN.findall(after)
        matcher = difflib.SequenceMatcher(None, old, new)
        left, moved = iter(self._at), list[int]()
        for tag, a, b, c, d in matcher.get_opcodes():
            places = [next(left) for _ in range(sum(map(len, old[a:b])))]
            count = sum(map(len, new[c:d]))
            if tag == "equal":
                moved += places
            else:
                places = places or moved[-1:] or [0]
                last = max(count - 1, 1)
                moved += [places[one * (len(places) - 1) // last] for one in range(count)]
        self._at = moved
        return after

    def span(self, start: int, end: int) -> Span:
        """The place in the request of text[start:end], which is not empty."""
        return self._at[start], self._at[end - 1] + 1

    def blanked(self, before: str, after: str) -> list[Span]:
        """The places in the request of what was blanked in a text of the same length.

        Words with only whitespace between them are one place.
        """
        gone = "".join(
            " " if one.isspace() else "x" if one != other and other == " " else "."
            for one, other in zip(before, after, strict=True)
        )
        return [self.span(*match.span()) for match in re.finditer(r"x(?:[ x]*x)?", gone)]


def blank(text: str, start: int, end: int) -> str:
    """The text with blanks for text[start:end], but for its punctuation."""
    return text[:start] + re.sub(r"[^,;:!?\n]", " ", text[start:end]) + text[end:]
