"""Text from strangers made safe to keep: plain, without invisible characters, and short."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

LONGEST_DESCRIPTION = 2048
"""Bytes of UTF-8."""

LONGEST_WORDS = 120
"""Characters of a subject, a style, a version or a name."""

_BLOCKS = frozenset({"br", "p", "div", "li", "ul", "ol", "tr", "td", "h1", "h2", "h3", "h4", "hr", "blockquote", "pre"})


def plain(text: str) -> str:
    """`text` on one line, without control, zero-width and bidirectional characters."""
    kept = (" " if char.isspace() else char for char in text if char.isspace() or not _invisible(char))
    return " ".join("".join(kept).split())


def _invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co")


def shorten(text: str, most: int = LONGEST_DESCRIPTION) -> str:
    """`text` cut to at most `most` bytes of UTF-8, never within a character."""
    return text.encode()[:most].decode(errors="ignore").rstrip()


def split_list(value: object) -> list[str]:
    """The texts in `value`: a list, or one text; commas separate."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError("expected a text or a list of texts")
    parts = (plain(part) for item in value for part in re.split(r"[,\n]", item))
    return list(dict.fromkeys(part for part in parts if part))


def html_to_text(html: object) -> str:
    """The words of an HTML fragment; paragraphs become spaces, scripts and styles are dropped."""
    if not isinstance(html, str):
        return ""
    parser = _TextOfHtml()
    parser.feed(html)
    parser.close()
    return plain("".join(parser.parts))


class _TextOfHtml(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.hidden += tag in ("script", "style")
        if tag in _BLOCKS:
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style") and self.hidden > 0
        if tag in _BLOCKS:
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)
