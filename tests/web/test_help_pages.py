"""Test that each help page has its picture, that it is small, and that none is unused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).resolve().parents[2] / "web" / "docs"
PAGES = sorted(DOCS.glob("*.md"))
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
MAX_BYTES = 80 * 1024


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_its_node(page):
    shown = PICTURE.findall(page.read_text(encoding="utf-8"))
    assert f"pictures/{page.stem}.jpg" in [file for _, file in shown]
    for words, file in shown:
        assert len(words) > 20, "a picture says in words what it shows"
        assert (DOCS / file).stat().st_size < MAX_BYTES
        with Image.open(DOCS / file) as picture:
            assert 200 <= picture.width <= 600


def test_no_picture_is_left_over():
    used = {
        DOCS / file
        for page in PAGES
        for _, file in PICTURE.findall(page.read_text(encoding="utf-8"))
    }
    assert used == set((DOCS / "pictures").iterdir())
