"""Plain text from HTML and Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from ..lexicon.text import MAX_TEXT_CHARS, printable

_BLOCKS = frozenset("br p div li ul ol tr td h1 h2 h3 h4 hr blockquote pre".split())
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


def html_to_text(html: object) -> str:
    """The words of an HTML fragment; paragraphs become spaces, scripts and styles are dropped."""
    if not isinstance(html, str):
        return ""
    parser = _TextOfHtml()
    # html.parser may raise AssertionError for a marked section.
    parser.feed(html[:MAX_TEXT_CHARS].replace("<![", "<! ["))
    parser.close()
    return printable("".join(parser.parts))


def markdown_to_text(markdown: str) -> str:
    """The words of a Markdown text, on one line, without pictures and formatting."""
    markdown = _LINK.sub(r"\1", _IMAGE.sub("", markdown[:MAX_TEXT_CHARS]))
    return printable(_MARKS.sub("", markdown))


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
