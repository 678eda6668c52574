"""Test a run that has to read a large library first, in a real ComfyUI."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from personalq.demo.host_process import HostProcess
from personalq.tests.checkin import make_files as make
from personalq.tests.host.graphs import check_in, said

MANY = 4000
"""Models whose reading takes so long that a test can interrupt it."""


@pytest.fixture
def host(comfyui: Path, tmp_path: Path):
    loras = tmp_path / "models" / "loras"
    first = make.make_lora(loras / "bear_0.safetensors")
    for number in range(1, MANY):
        os.link(first, loras / f"bear_{number}.safetensors")
    with HostProcess(comfyui, tmp_path / "models", tmp_path / "base") as process:
        yield process


def test_interrupt_ends_it_and_the_next_run_goes_on(host: HostProcess) -> None:
    settings = host.base_directory / "user" / "__personalq"
    with ThreadPoolExecutor() as pool:
        running = pool.submit(host.prompt, check_in("a zebra", answer=None), "page")
        while not list(settings.glob("index-*.sqlite")):
            time.sleep(0.02)
        host.post("/interrupt", {})
        interrupted = time.monotonic()
        entry = running.result(timeout=60)
    ended = time.monotonic()
    assert "execution_interrupted" in [kind for kind, _ in entry["status"]["messages"]]
    assert said(host.prompt(check_in("a zebra", answer=None), "page"))["outcome"] == "no_match"
    assert ended - interrupted < (time.monotonic() - ended) / 2, "most was still to be read"
