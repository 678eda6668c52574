"""Test that a request is answered within a second where it and the library are hard to read."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.lexicon.readings import readings
from personalq.checkin.lexicon.sentences import say

from .attack import Attack

NOW = datetime(2026, 5, 1, tzinfo=UTC)
_SIGN = "生"
"""A sign that Japanese reads in two dozen ways."""
_WARM = ("my latest bear", "mein Bär", "mi oso", "mon ours", "私の熊", "我的熊", "내 곰")


def _readings_of_one_sign() -> list[str]:
    said = [one for one in readings("ja")[_SIGN] if one.isalpha()]
    return [f"{one}{other}" for one, other in itertools.product(said, repeat=2)]


def _versions() -> list[str]:
    return [f"bear_v{number}" for number in range(1, 1501)]


def _hangul() -> list[str]:
    chance = random.Random(20)
    letters = "곰강아지초코보리하늘"
    return ["".join(chance.choices(letters, k=chance.randint(2, 60))) for _ in range(500)]


def _made_up(count: int) -> list[str]:
    chance = random.Random(20)
    return ["".join(chance.choices("abcdeiou", k=3)) for _ in range(count)]


_CASES: dict[str, tuple[Callable[[], list[str]], Callable[[list[str]], str]]] = {
    "a sign of many readings": (_readings_of_one_sign, lambda names: _SIGN * 300),
    "each name with a version": (_readings_of_one_sign, lambda names: " v2 ".join(names[::7][:50])),
    "each name the newest": (
        _readings_of_one_sign,
        lambda names: " ".join(f"最新の {one}" for one in names[::7][:40]),
    ),
    "a tag of each LoRA": (
        _versions,
        lambda names: " ".join(f"<lora:{one}>" for one in names[:200]),
    ),
    "one trigger again and again": (_versions, lambda names: "<bear> " * 200),
    "unwanted words beside signs": (
        _hangul,
        lambda names: " ".join(f"{one}ä not" for one in _made_up(200)),
    ),
}


@pytest.mark.parametrize("name", sorted(_CASES))
def test_hard_requests_are_answered_within_a_second(name: str) -> None:
    library, request_of = _CASES[name]
    names = library()
    cards = [
        Card(one, f"/m/loras/{one}.safetensors", kind="lora", triggers=("<bear>",)) for one in names
    ]
    repository = Repository(cards, embedder=None)
    for one in _WARM:  # tables are loaded at first use
        check_in(one, repository, now=NOW)
    attack = Attack(f"hard requests: {name}", most_seconds=1)
    with attack.case(0):
        check_in(request_of(names), repository, now=NOW)
    attack.finish()


def test_twenty_tags_are_used() -> None:
    cards = [
        Card(f"n{number}", f"/m/loras/n{number}.safetensors", kind="lora") for number in range(22)
    ]
    request = "a castle " + " ".join(f"<lora:n{number}>" for number in range(22))
    decision = check_in(request, Repository(cards, embedder=None), now=NOW)
    assert len(decision.models) == 20
    assert say("Only the first {number} tags of LoRAs are used.", number=20) in decision.notices
