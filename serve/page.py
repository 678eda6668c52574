"""The page to try the service, in the language of who opens it."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

from ..checkin.lexicon.sentences import say, spoken

_FOLDER = Path(__file__).parent / "page"
_PARTS = {
    "page.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
}


def page() -> str:
    """The page's HTML, with its texts."""
    texts = {
        "language": spoken(),
        "title": say("Ask for one of your models"),
        "request": say("What do you want?"),
        "example": say("my latest realistic bear on forest grass"),
        "more": say("Size, seed and token"),
        "width": say("Width"),
        "height": say("Height"),
        "seed": say("Seed"),
        "token": say("Token, if the service asks for one"),
        "draw": say("Draw"),
        "asking": say("Asking ..."),
        "waiting": say("Waiting for a painter ..."),
        "drawing": say("Drawing ..."),
        "done": say("Done."),
        "near": say("Nearest models:"),
        "save": say("Save the picture"),
        "trouble": say("The service does not answer. Is it still running?"),
        "describes": say("The interface, for programs"),
    }
    template = Template((_FOLDER / "index.html").read_text(encoding="utf-8"))
    return template.substitute({name: escape(text) for name, text in texts.items()})


def part(name: str) -> tuple[str, str] | None:
    """(media type, text) of a file that the page needs; None for any other name."""
    kind = _PARTS.get(name)
    return (kind, (_FOLDER / name).read_text(encoding="utf-8")) if kind else None
