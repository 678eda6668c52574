"""Test that v1 is the build without a number, where the others are counted from 2."""

from __future__ import annotations

from datetime import timedelta

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.tests.checkin.world import NOW

AGES = {
    "bruno": 90,
    "bruno_v2": 60,
    "bruno_v3": 30,
    "rosa": 20,
    "rosa_v2": 40,
    "moss": 10,
    "nelson_v1": 50,
    "nelson": 70,
}
"""Days since each was made."""
LIBRARY = Repository(
    [
        Card(
            name,
            f"/m/{name}.safetensors",
            "lora",
            (f"{name.split('_')[0]}trg",),
            created_at=NOW - timedelta(days=days),
            version=name.partition("_v")[2] or None,
        )
        for name, days in AGES.items()
    ],
    embedder=None,
)


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("bruno v1 on a beach", "bruno"),
        ("bruno version 1, on a beach", "bruno"),
        ("bruno v2 on a beach", "bruno_v2"),
        ("nelson v1 on a beach", "nelson_v1"),
    ],
)
def test_the_build_without_a_number_is_the_first(request_text, name) -> None:
    decision = check_in(request_text, LIBRARY, now=NOW)
    assert [one.name for one in decision.cards] == [name]


@pytest.mark.parametrize("request_text", ["rosa v1 on a beach", "moss v1 on a beach", "bruno v4"])
def test_a_newer_one_or_an_only_one_is_no_first(request_text) -> None:
    assert check_in(request_text, LIBRARY, now=NOW).outcome != "select"
