"""Test sidecars and lists of cards as programs on Windows write them.

They may have UTF-16, a byte order mark, CRLF or backslashes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.index.repository import Repository
from personalq.tests.checkin import make_files as make

SIDECARS: dict[str, Any] = {
    ".personalq.yaml": (
        "triggers: <ours>\ndescription: >\n  Größe\n  und 熊\nstyles:\n- ink\n"
        "generated:\n  subjects: [bear]\n"
    ),
    ".txt": "Größe\n\nund 熊\n",
    ".json": json.dumps(
        {"activation text": "ours, 熊", "description": "Größe"}, ensure_ascii=False, indent=1
    ),
    ".civitai.info": json.dumps(
        {"trainedWords": ["熊"], "description": "<p>Größe</p>"}, ensure_ascii=False, indent=1
    ),
    ".md": (
        "---\nbaseModel: SD 1.5\n---\n# Größe\n\n# Trigger Words\n\n熊\n\n# About this\nund 熊\n"
    ),
}
WRITTEN = {"utf-8-sig": "\n", "utf-8": "\r\n", "utf-16-le": "\r\n", "utf-16-be": "\n"}
"""Encodings, each with line ends."""


def told(folder: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What is said of the one model, and the notices."""
    repository = Repository.open(folder, embedder=None)
    (card,) = repository.cards
    return {**card.as_dict(), "path": None, "created_at": None}, repository.notices


@pytest.mark.parametrize("encoding", WRITTEN)
@pytest.mark.parametrize("ending", SIDECARS)
def test_a_sidecar_says_the_same_however_it_is_written(
    tmp_path: Path, ending: str, encoding: str
) -> None:
    text = SIDECARS[ending]
    make.beside(make.make_lora(tmp_path / "a" / "m.safetensors"), ending, text)
    mark = "\N{ZERO WIDTH NO-BREAK SPACE}" if encoding.startswith("utf-16") else ""
    written = (mark + text.replace("\n", WRITTEN[encoding])).encode(encoding)
    make.beside(make.make_lora(tmp_path / "b" / "m.safetensors"), ending, written)
    card, notices = told(tmp_path / "a")
    assert "Größe" in card.get("description", "") or ending == ".md"
    assert told(tmp_path / "b") == (card, notices)


@pytest.mark.parametrize("encoding", WRITTEN)
def test_a_list_of_cards_that_was_made_on_windows(tmp_path: Path, encoding: str) -> None:
    model = make.make_lora(tmp_path / "loras" / "bear" / "m.safetensors")
    picture = make.beside(model, ".shown.png")
    card = {
        "id": "熊",
        "path": "loras\\bear\\m.safetensors",
        "previews": ["loras\\bear\\m.shown.png"],
    }
    mark = "\N{ZERO WIDTH NO-BREAK SPACE}" if encoding.startswith("utf-16") else ""
    text = mark + json.dumps(card, ensure_ascii=False) + WRITTEN[encoding]
    (tmp_path / "cards.jsonl").write_bytes(text.encode(encoding))
    repository = Repository.open(cards=tmp_path / "cards.jsonl", embedder=None)
    (found,) = repository.cards
    assert (found.id, found.path, found.previews) == ("熊", str(model), (str(picture),))
    assert repository.notices == ()
