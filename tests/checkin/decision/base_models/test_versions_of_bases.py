"""Test which build is meant of a model that was trained for several base models."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Card, Repository, check_in

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def _card(name: str, base: str, month: int) -> Card:
    created = datetime(2026, month, 1, tzinfo=UTC)
    number = name[-1] if name[-1].isdigit() else None
    path = f"/m/{name}.safetensors"
    return Card(name, path, "lora", ("prcvl",), created_at=created, version=number, base_model=base)


@pytest.mark.parametrize(
    ("builds", "expected"),
    [
        (("percival_xl_v1", "percival_flux_v2", "percival_zit_v3"), "percival_zit_v3"),
        (("percival_xl_v2", "percival_flux_v1"), None),
        (("percival_xl", "percival_flux"), None),
    ],
)
def test_versions_that_go_on_for_a_newer_base_replace_the_older(builds, expected) -> None:
    bases = {"xl": "sdxl", "flux": "flux1", "zit": "z-image"}
    cards = [
        _card(name, bases[name.split("_")[1]], month) for month, name in enumerate(builds, start=3)
    ]
    decision = check_in("percival in the rain", Repository(cards, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == ([expected] if expected else []), decision.why
    assert decision.outcome == ("select" if expected else "clarify")


def _made(name: str, base: str, when: datetime) -> Card:
    path = f"/m/{name}.safetensors"
    return Card(name, path, "lora", ("prcvl",), created_at=when, base_model=base)


@pytest.mark.parametrize(
    ("years", "bases"),
    [
        ((2024, 2025, 2026), ("sdxl", "flux1", "z-image")),  # that for SDXL is long replaced
        ((2024, 2026, 2026), ("pony", "illustrious", "anima")),  # as Pony by Illustrious
    ],
)
def test_a_build_that_another_one_replaced_is_not_asked_for(years, bases) -> None:
    cards = [
        _made(f"percival_{base}", base, datetime(year, 5, 1, tzinfo=UTC))
        for year, base in zip(years, bases, strict=True)
    ]
    decision = check_in("percival in the rain", Repository(cards, embedder=None), now=NOW)
    assert decision.question, decision.why
    asked = {one for choice in decision.question.choices for one in choice.card_ids}
    assert asked == {one.id for one in cards[1:]}
