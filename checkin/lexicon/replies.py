"""Common answers to a question in other languages: "das zweite", "peu importe", "都不是"."""

from __future__ import annotations

import re
from functools import cache

from .data import phrases_in, read
from .languages import FOLDER, NOTHING, REPLIES
from .spelling import plain

_SIGNS = re.compile(r"^\W+|\W+$")


def in_english(answer: str) -> str:
    """The English of a common answer; what is none of them comes back as it is."""
    said = _bare(answer)
    for ways, articles in _languages():
        if found := ways.get(said) or ways.get(_bare(articles.sub("", said))):
            return found
    return answer


def _bare(text: str) -> str:
    return _SIGNS.sub("", " ".join(plain(text).split()))


@cache
def _languages() -> list[tuple[dict[str, str], re.Pattern[str]]]:
    """Of each language: (answer -> its English, the articles before it)."""
    found = []
    for path in sorted(FOLDER.glob(f"*/{REPLIES}")):
        table = dict(read(path))
        articles = [one for one in phrases_in(table.pop("articles")) if one != NOTHING]
        ways = {
            _bare(way): english for english, several in table.items() for way in phrases_in(several)
        }
        before = "|".join(re.escape(one) + _gap(one) for one in articles) or "(?!)"
        found.append((ways, re.compile(f"^(?:{before})+")))
    return found


def _gap(article: str) -> str:
    """What stands behind an article: a space, but not behind "l'" and Chinese words."""
    return r"\s+" if re.search(r"[^\W\d_\u0370-\uffff]$", article) else r"\s*"
