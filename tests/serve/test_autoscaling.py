"""Test that a second painter comes while jobs wait, and goes: a real Ray, real ComfyUIs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="the extra serve is not installed (docs/development.md)")

from personalq.tests.serve.running import PATIENCE, Service

REQUEST = "my latest realistic bear on forest grass"
SMALL = {"width": 64, "height": 64}
WAITING = 6
"""Jobs that are kept waiting: a painter has two."""


@pytest.fixture
def service(comfyui: Path, demo_repository: Path, tmp_path: Path) -> Iterator[Service]:
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("the test looks for processes in /proc")
    running = Service(comfyui, demo_repository, tmp_path, 1, "--most-painters", "2", "--idle", "3")
    yield running
    running.stop()


def drawn(state: Path) -> list[int]:
    """How many jobs each painter that runs has drawn, the busiest first."""
    logs = state.glob("painter-*/comfyui.log")
    counts = [log.read_text("utf-8", "replace").count("Prompt executed") for log in logs]
    return sorted(counts, reverse=True)


def test_painters_come_and_go_with_the_jobs(service: Service) -> None:
    assert len(service.comfyuis()) == 1
    asked: list[str] = []
    end = time.monotonic() + PATIENCE
    while len(counts := drawn(service.state)) < 2 or not counts[1]:
        assert time.monotonic() < end, (counts, service.said)
        while len(asked) - sum(counts) < WAITING:
            answer = service.ask(REQUEST, seed=len(asked), size=SMALL)
            asked.append(answer["job"]["id"])
        time.sleep(0.2)
    assert len(service.comfyuis()) == 2
    assert {service.finished(job)["state"] for job in asked} == {"done"}
    end = time.monotonic() + PATIENCE
    while len(service.comfyuis()) > 1:
        assert time.monotonic() < end
        time.sleep(0.5)
    last = service.ask(REQUEST, seed=1, size=SMALL)["job"]["id"]
    assert service.finished(last)["state"] == "done"
    assert len(service.comfyuis()) == 1
