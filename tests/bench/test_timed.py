"""Test how calls are timed."""

from __future__ import annotations

import time

from personalq.bench.timed import timed


def test_each_call_is_timed_alone_after_the_first_one_was_made_once_before() -> None:
    made: list[str] = []

    def call(name: str, seconds: float) -> str:
        made.append(name)
        time.sleep(seconds)
        return name

    found = timed([lambda: call("quick", 0), lambda: call("slow", 0.05)])
    assert made == ["quick", "quick", "slow"]
    assert [name for name, _ in found] == ["quick", "slow"]
    assert found[0][1] < found[1][1]
    assert found[1][1] >= 50


def test_nothing_takes_no_time() -> None:
    assert timed([]) == []
