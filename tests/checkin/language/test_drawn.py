"""Test which words of a request are drawn, and which only chose the model."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from personalq.checkin import Card, Decision, Repository, check_in
from personalq.checkin.catalog.reference import Reference

NOW = datetime(2025, 5, 15, 12, 0, tzinfo=timezone(timedelta(hours=2)))


def _card(name: str, trigger: str | None, base: str, **fields) -> Card:
    triggers = (trigger, *fields.pop("aliases", ())) if trigger else ()
    made = NOW - timedelta(days=30)
    path = f"loras/{name}.safetensors"
    return Card(
        name, path, "lora", triggers, base_model=base, created_at=made, origin="trained", **fields
    )


CARDS = {
    "bear": _card(
        "bear_v4",
        "<bear-v4>",
        "sd15",
        aliases=("brwnbear", "wet fur"),
        subjects=("bear",),
        styles=("realistic",),
    ),
    "toon": _card("toonbear", "<toon-bear>", "sd15", subjects=("bear",), styles=("cartoon",)),
    "moss": _card("moss_xl_v2", "mosdog", "sdxl", subjects=("dog",)),
    "nelson": _card("nelson_xl_v3", "nlsncat", "sdxl"),
    "village": _card("village_xl", None, "sdxl", subjects=("village",)),
    "mini": _card("redmini_flux_v2", "rdmini", "flux1", subjects=("car",)),
    "ink": _card("inkwash_xl", "nkwsh style", "sdxl", styles=("ink wash",)),
}
REPOSITORY = Repository(tuple(CARDS.values()), version="drawn", embedder=None)
_FILE = Path(__file__).with_name("drawn_requests.txt")
REQUESTS = [
    [part.strip().replace("\\n", "\n") for part in line.split(" | ")]
    for line in _FILE.read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def decide(request: str, model: str, **options) -> Decision:
    return check_in(request, REPOSITORY, now=NOW, chosen=Reference.of(CARDS[model]), **options)


@pytest.mark.parametrize(("model", "request_", "expected"), REQUESTS)
def test_drawn(model, request_, expected):
    assert decide(request_, model).prompt == expected
