"""Test which models the pool drops when they take more than its budget."""

from __future__ import annotations

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.nodes.host.models.pool import Pool

BASE, OTHER, QUANTIZED = ("checkpoint", "a"), ("checkpoint", "b"), ("taq", "a")


def put(pool: Pool, key, size: int, *beside) -> list:
    """The keys that were made to use this entry."""
    made: list = []

    def make():
        made.append(key)
        return key

    assert pool.get(key, make, lambda _: size, beside=beside) == key
    return made


def request(pool: Pool, lora: int) -> list:
    """Use a LoRA of the base, and the base quantized, as Repo Check-in and TAQ do."""
    made = put(pool, BASE, 7)
    made += put(pool, ("loras", lora), 1, BASE)
    pool.touch(BASE)
    return made + put(pool, QUANTIZED, 3, BASE)


def test_the_least_recently_used_go_first():
    pool = Pool(10)
    for number in range(4):
        put(pool, ("loras", number), 3)
    put(pool, ("loras", 1), 3)
    put(pool, ("loras", 4), 3)
    assert pool.keys() == [("loras", 3), ("loras", 1), ("loras", 4)]


def test_a_base_and_its_quantized_form_do_not_drop_each_other():
    pool = Pool(8)  # less than both of them take
    assert request(pool, 0) == [BASE, ("loras", 0), QUANTIZED]
    for number in (0, 1, 2, 1):
        assert not {BASE, QUANTIZED} & set(request(pool, number))
    assert sum(key[0] == "loras" for key in pool.keys()) == 1  # noqa: SIM118


def test_what_another_model_needs_goes():
    pool = Pool(12)
    request(pool, 0)
    put(pool, OTHER, 7)
    assert pool.keys() == [QUANTIZED, OTHER] or pool.keys() == [OTHER]
    assert pool.bytes <= 12


def test_loras_are_dropped_before_what_they_are_used_with():
    pool = Pool(15)
    for number in range(20):
        request(pool, number)
    assert pool.bytes <= 15
    assert {BASE, QUANTIZED, ("loras", 19)} <= set(pool.keys())
    assert len(pool.keys()) == 7


def test_the_newest_stays_however_large_it_is():
    pool = Pool(5)
    put(pool, OTHER, 2)
    put(pool, BASE, 7)
    assert pool.keys() == [BASE]
