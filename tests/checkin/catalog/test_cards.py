"""Test that a card is the same after it is written as JSON and read back."""

from __future__ import annotations

import json
from datetime import datetime

from personalq.checkin.catalog.cards import Card

FULL = Card(
    id="bear-v4",
    path="/models/bear_v4.safetensors",
    kind="lora",
    triggers=("<bear-v4>", "sks bear"),
    subjects=("bear", "teddy bear"),
    styles=("sketch",),
    description="A small plush bear",
    created_at=datetime.fromisoformat("2025-04-11T09:30:00+02:00"),
    version="1.10",
    base_model="sd15",
    base="v1-5-pruned",
    lineage="bear",
    sha256="ab" * 32,
    previews=("/models/bear_v4.png",),
    strength=0.8,
    sources={"version": "sidecar", "created_at": "file time"},
)


def test_full_card_survives_json() -> None:
    assert Card.from_dict(json.loads(json.dumps(FULL.as_dict()))) == FULL


def test_unknown_fields_are_left_out_of_the_json() -> None:
    assert Card("bear").as_dict() == {"id": "bear", "kind": "checkpoint", "strength": 1.0}


def test_first_trigger_is_canonical() -> None:
    assert FULL.trigger == "<bear-v4>"
    assert Card("bear").trigger is None
