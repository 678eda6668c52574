"""Test the measurement of several people at once, through a real ComfyUI."""

from __future__ import annotations

import argparse
import sys

from personalq.bench import users


def test_people_wait_for_each_other_and_all_are_served(comfyui, demo_repository):
    options = argparse.Namespace(
        comfyui=comfyui,
        demo=demo_repository,
        users=3,
        requests=4,
        side=64,
        steps=1,
        ways=["W8A8"],
        keep=False,
    )
    result, text = users.run(options)
    found = result["found"]["W8A8"]
    assert 0 < found["p50_s"] <= found["p95_s"] < 4 * 60 / found["a_minute"] + 1
    if sys.platform == "linux":
        assert found["peak_bytes"] > 2e8
        assert found["processor_s"] > 0
    assert "3 people, 4 requests" in text
    assert "| W8A8 |" in text
