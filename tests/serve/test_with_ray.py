"""Test the whole service: a real Ray, two painters, a real ComfyUI each, drawing demo models.

One service runs for all tests of the file; the last one stops it and starts it again.
"""

from __future__ import annotations

import concurrent.futures
import io
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from PIL import Image

pytest.importorskip("ray", reason="the extra serve is not installed (docs/development.md)")

from personalq.serve.store import Store
from personalq.tests.serve.running import PATIENCE, Service

REQUESTS = (
    "my latest realistic bear on forest grass",
    "my dog watercolour v2 on the beach",
    "the checker taxi in the snow",
    "the steel watch on a table",
)
SMALL = {"width": 64, "height": 64}
"""What is drawn matters only once; small pictures are drawn sooner."""


@pytest.fixture(scope="module")
def service(
    comfyui: Path, demo_repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("the test looks for processes in /proc")
    running = Service(comfyui, demo_repository, tmp_path_factory.mktemp("serve"), 2)
    yield running
    running.stop()
    assert running.comfyuis() == []


def test_four_requests_are_drawn_by_two_painters(service: Service) -> None:
    with concurrent.futures.ThreadPoolExecutor() as at_once:
        answers = list(at_once.map(lambda one: service.ask(one, seed=5, size=SMALL), REQUESTS))
    assert [one["outcome"] for one in answers] == ["select"] * 4
    done = [service.finished(one["job"]["id"]) for one in answers]
    assert [one["error"] for one in done] == [None] * 4
    assert len({service.picture(one["id"]) for one in done}) == 4
    assert len(service.comfyuis()) == 2
    priorities = [os.getpriority(os.PRIO_PROCESS, one) for one in service.comfyuis()]
    assert priorities == [os.getpriority(os.PRIO_PROCESS, 0)] * 2, "Ray lowers it by itself"


def test_the_size_and_the_seed_are_the_persons(service: Service) -> None:
    size = {"width": 64, "height": 192}
    twice = [service.ask(REQUESTS[0], seed=5, size=size)["job"]["id"] for _ in range(2)]
    pictures = [service.picture(service.finished(job)["id"]) for job in twice]
    assert [int.from_bytes(one[at : at + 4]) for one in pictures for at in (16, 20)] == [
        64,
        192,
    ] * 2


def test_what_was_drawn_before_is_drawn_again(service: Service) -> None:
    # Of three in a row, two are drawn by the same painter.
    jobs = [
        service.finished(service.ask(REQUESTS[1], seed=7, size=SMALL)["job"]["id"])
        for _ in range(3)
    ]
    assert [one["error"] for one in jobs] == [None] * 3
    pictures = [Image.open(io.BytesIO(service.picture(one["id"]))) for one in jobs]
    assert len({one.tobytes() for one in pictures}) == 1


def test_a_comfyui_that_is_killed_loses_no_job(service: Service) -> None:
    before = service.comfyuis()
    jobs = [
        service.ask(REQUESTS[number % 4], seed=number, size=SMALL)["job"]["id"]
        for number in range(6)
    ]
    killed: list[int] = []

    def kill() -> None:
        while not any(requests.get(f"{service.url}/v1/jobs/{job}").json()["step"] for job in jobs):
            time.sleep(0.05)
        killed.append(before[0])
        os.kill(before[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    done = [service.finished(job) for job in jobs]
    killer.join()
    assert [one["state"] for one in done] == ["done"] * 6, done
    assert killed
    end = time.monotonic() + PATIENCE
    while len(service.comfyuis()) < 2 and time.monotonic() < end:
        time.sleep(0.5)
    after = service.comfyuis()
    assert len(after) == 2
    assert killed[0] not in after


def test_what_cannot_be_drawn_fails_with_a_sentence(service: Service) -> None:
    store = Store(f"sqlite:///{service.state / 'jobs.sqlite'}")
    job = store.get(service.ask(REQUESTS[1], seed=1, size=SMALL)["job"]["id"], "")
    assert job
    service.finished(job.id)
    store.add(replace(job, id="changed", task=replace(job.task, models=("another",))), {})
    store.add(replace(job, id="refused", task=replace(job.task, preset="W9A9")), {})
    store.close()
    changed, refused = (service.finished(one) for one in ("changed", "refused"))
    assert (changed["state"], refused["state"]) == ("failed", "failed")
    assert "Ask again" in changed["error"]
    assert "No painter can draw with dog_watercolour_v2 on" in refused["error"]
    assert "W9A9" in refused["error"]


def test_jobs_and_pictures_survive_a_restart(service: Service) -> None:
    early = service.ask(REQUESTS[2], seed=9, size=SMALL)["job"]["id"]
    picture = service.picture(service.finished(early)["id"])
    late = [service.ask(REQUESTS[2], seed=one, size=SMALL)["job"]["id"] for one in range(3)]
    service.stop()
    assert service.comfyuis() == []
    service.start(painters=1)
    assert service.picture(early) == picture
    assert [service.finished(job)["state"] for job in late] == ["done"] * 3
