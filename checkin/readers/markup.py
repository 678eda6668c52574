"""Plain text from HTML and Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from ..lexicon.text import MAX_TEXT_CHARS, printable

_BLOCKS = frozenset("br p div li ul ol tr td h1 h2 h3 h4 hr blockquote pre".split())
_HIDDEN = ("script", "style")
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]{0,40}|[!?])")
_LONG_NUMBER = re.compile(r"&#[xX]?[0-9a-fA-F]{9,};?")
"""A reference to no character, whose number may be longer than Python reads."""
_A_TAG = re.compile(
    r"</?(?:a|b|br|div|em|h\d|i|img|li|ol|p|pre|span|strong|u|ul)\b[^<>]{0,500}>", re.I
)
# The lengths are bounded so that a forged text cannot make a search quadratic.
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]\n]{0,200})\]\([^()\n]{0,500}\)")
_MARKS = re.compile(
    r"^ {0,3}(?:#{1,6}|[-*+>]|```\w*) ?|```|\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`", re.M
)


def text_of(markup: object) -> str:
    """The words of a description that may be HTML or Markdown; "" for anything but a text.

    A trigger in angle brackets ("<bear-v4>") is not a tag: a text counts as HTML only if it has a
    tag of HTML.
    """
    if not isinstance(markup, str):
        return ""
    markup = markup[:MAX_TEXT_CHARS]
    return html_to_text(markup) if _A_TAG.search(markup) else markdown_to_text(markup)


def html_to_text(markup: object) -> str:
    """The words of an HTML fragment; paragraphs become spaces, scripts and styles are dropped."""
    if not isinstance(markup, str):
        return ""
    pieces = "".join(_outside_tags(markup[:MAX_TEXT_CHARS]))
    return printable(html.unescape(_LONG_NUMBER.sub(" ", pieces)))


def markdown_to_text(markdown: str) -> str:
    """The words of a Markdown text, on one line, without pictures and formatting."""
    markdown = _LINK.sub(r"\1", _IMAGE.sub("", markdown[:MAX_TEXT_CHARS]))
    return printable(_MARKS.sub("", markdown))


def _outside_tags(markup: str) -> Iterator[str]:
    """The text of an HTML fragment between its tags, in time linear in its length.

    html.parser is quadratic: 64 KB of "<a " took it 40 seconds. What follows a "<" without a ">"
    is text, and a comment or script without its end hides all that follows it.
    """
    lower = markup.lower()  # may be of another length only for letters outside ASCII
    lower = lower if len(lower) == len(markup) else markup
    position, close = 0, -1
    while (start := markup.find("<", position)) >= 0:
        yield markup[position:start]
        if markup.startswith("<!--", start):
            position = _after(markup, "-->", start + 4)
            continue
        if close <= start:
            close = markup.find(">", start)
        if close < 0:
            break
        tag = _TAG.match(markup, start, close)
        if not tag:
            yield "<"
            position = start + 1
            continue
        name, position = tag["name"].lower(), close + 1
        if name in _BLOCKS:
            yield " "
        if name in _HIDDEN and not tag["end"]:
            end = lower.find(f"</{name}", position)
            position = len(markup) if end < 0 else end
    yield markup[position:]


def _after(text: str, mark: str, start: int) -> int:
    """The offset after the next `mark`; the end of the text if there is none."""
    found = text.find(mark, start)
    return len(text) if found < 0 else found + len(mark)
