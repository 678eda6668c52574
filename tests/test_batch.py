"""Test that one thing is done to many models, in this process and as tasks of a real Ray."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from personalq.batch import in_this_process
from personalq.tests.cli.tasks import doubled_or_killed, running_ray

PATIENCE = 120.0
SIX = """
import json, sys
from pathlib import Path
from personalq.batch import with_ray
from personalq.ray_cluster import connected
from personalq.tests.cli.tasks import doubled_or_killed
with connected(sys.argv[1], Path(sys.argv[2])) as ray:
    found = list(with_ray(ray)(doubled_or_killed, range(6)))
print(json.dumps([(one.item, one.result, str(one.error)) for one in found]))
"""
"""A program that has six tasks done: Ray reads its settings once in a process."""
MARKED = """
import sys
from pathlib import Path
from personalq.batch import with_ray
from personalq.ray_cluster import connected
from personalq.tests.cli.tasks import marked
try:
    with connected(sys.argv[1], Path(sys.argv[2])) as ray:
        for _ in with_ray(ray)(marked, sys.argv[3:]):
            print("one", flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""
"""A program that has many tasks done, and is stopped."""


@pytest.fixture(autouse=True)
def _interrupts_are_heard() -> Iterator[None]:
    """A shell that starts tests in the background lets them, and what they start, ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def ray_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if importlib.util.find_spec("ray") is None:
        pytest.skip("the extra serve is not installed (docs/development.md)")
    with running_ray(tmp_path_factory.mktemp("ray")) as address:
        yield address


def test_a_process_that_dies_fails_its_model_only(ray_address: str, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", SIX, ray_address, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    found = {item: (result, error) for item, result, error in json.loads(lines[-1])}
    assert {item: result for item, (result, error) in found.items() if error == "None"} == {
        item: 2 * item for item in (0, 1, 2, 5)
    }
    assert "died" in found[3][1]
    assert found[4][1] == "four is wrong"


def test_in_this_process_what_fails_is_given_back() -> None:
    found = list(in_this_process(doubled_or_killed, [1, 4, 2]))
    assert [one.result for one in found] == [2, None, 4]
    assert str(found[1].error) == "four is wrong"


def test_what_ray_still_runs_ends_with_the_command(ray_address: str, tmp_path: Path) -> None:
    """Of a Ray that goes on after it, with tasks that run and tasks that wait for a processor."""
    marks = [str(tmp_path / name) for name in ("short", *map(str, range(100)))]
    command = [sys.executable, "-P", "-c", MARKED, ray_address, str(tmp_path / "import"), *marks]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout
    assert running.stdout.readline() == "one\n"
    end = time.monotonic() + PATIENCE
    while len(list(tmp_path.glob("*.started"))) < 2:
        assert time.monotonic() < end
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    running.stdout.close()
    assert running.wait(PATIENCE) == 130
    time.sleep(1)  # for a task that was just being given to a process
    started, ended = (set(tmp_path.glob(f"*.{what}")) for what in ("started", "ended"))
    assert len(ended) < len(started) < len(marks)
    time.sleep(11)
    assert set(tmp_path.glob("*.started")) == started
    assert set(tmp_path.glob("*.ended")) == ended
