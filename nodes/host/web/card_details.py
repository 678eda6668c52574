"""One card for the editor: each value with its source, and what its files say besides."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any

from ....checkin import Card
from ....checkin.index.lineage import shown_lineage
from ....checkin.readers.published import published
from ..models.preview_prompts import preview_prompts
from ..models.repository import roots

FIELDS = (
    "triggers",
    "names",
    "subjects",
    "styles",
    "description",
    "version",
    "created_at",
    "base_model",
    "base",
    "lineage",
)
"""Fields that can be changed in the card editor, in its order."""
_MOST_TAGS = 24
"""How many tags of the training pictures are shown, at most."""
LISTS = ("triggers", "names", "subjects", "styles")
FACTS = ("kind", "strength")
"""Fields that the card editor only shows."""


def about(card: Card) -> dict[str, Any]:
    """The fields and facts of a card, and what is known of its file, its training and its page."""
    said = published(card.path, [folder for _, folder in roots()]) if card.path else None
    shown = [{"prompt": prompt, "preview": number} for number, prompt in preview_prompts(card)]
    linked = [{"prompt": one.prompt, "link": one.picture} for one in said.examples] if said else []
    known = {one["prompt"] for one in shown}
    return {
        "fields": {name: _said(card, name) for name in FIELDS},
        "facts": {name: _said(card, name) for name in FACTS if name in card.sources},
        "size": _size(card),
        "sha256": card.sha256 if card.sources.get("sha256") == "file" else None,
        "page": said.page if said else None,
        "captions": [[name, share] for name, share in card.captions.items()][:_MOST_TAGS],
        "examples": [*shown, *(one for one in linked if one["prompt"] not in known)],
    }


def _said(card: Card, name: str) -> dict[str, Any]:
    value = shown_lineage(card) if name == "lineage" else getattr(card, name)
    return {
        "value": value.date().isoformat() if isinstance(value, datetime) else value,
        "source": card.sources.get(name),
    }


def _size(card: Card) -> int | None:
    """Bytes of the model's file; None if it is gone."""
    try:
        return os.stat(card.path).st_size if card.path else None
    except OSError:
        return None
