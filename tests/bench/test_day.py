"""Test the replay of a day of many models, on the demo's base, in a process with ComfyUI."""

from __future__ import annotations

import pytest

from personalq.bench.day.command import measure, report
from personalq.bench.day.day import MERGED, PRESETS, WAYS, WHOLE, Day

DAY = Day(model="demo", models=60, requests=300, memory=1.0, card=1.0, samples=4)


@pytest.fixture(scope="module")
def found(comfyui, tmp_path_factory) -> dict:
    return measure(comfyui, tmp_path_factory.mktemp("day"), DAY)


def test_a_day_asks_for_some_models_more_than_for_others():
    asked = Day().asked()
    assert len(asked) == 10_000
    assert asked.count(0) > 5 * asked.count(9) > 0
    assert asked == Day().asked()


def test_one_base_serves_all_loras(found):
    for way in (MERGED, *PRESETS):
        one = found["found"][way]
        assert one["base_loads"] == 0, "neither the base nor its quantized form is ever dropped"
        assert 0 < one["memory_bytes"] <= DAY.memory * 1e9 / 2
        assert one["loads"] - one["dropped"] == one["in_memory"] > 10
    whole = found["found"][WHOLE]
    assert whole["in_memory"] == 1
    assert whole["loads"] > 2 * found["found"]["W8A8"]["loads"]


def test_a_change_of_lora_costs_less_than_one_of_the_base(found):
    for preset in PRESETS:
        one = found["found"][preset]
        assert one["known_s"] < one["first_s"] / 4
        assert one["on_card"] > found["found"][MERGED]["on_card"]


def test_the_table_has_all_ways_and_says_what_it_is(found):
    text = report(found)
    assert all(way in text for way in WAYS)
    assert "no graphics card was there" in text
