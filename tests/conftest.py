"""Fixtures for all tests: a real ComfyUI and the demo repository.

A closing line counts the skipped tests and gives the reasons.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from personalq.comfyui_folder import COMFYUI_RELEASE, find_comfyui

ROOT = Path(__file__).resolve().parents[1]

# Before torch is loaded, here and in each process that a test starts: its threads wait for each
# other without work, which they would take from the other workers of a parallel run.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

BEGUN = time.monotonic()
MINUTES = float(os.environ.get("PERSONALQ_TEST_MINUTES", "inf"))
"""How long tests may be begun, on a machine that another program allows only so much time."""


@pytest.fixture(scope="session", autouse=True)
def settings_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test reads or writes the settings and history of the person who runs it."""
    os.environ["PERSONALQ_SETTINGS"] = str(tmp_path_factory.mktemp("settings"))


@pytest.fixture(scope="session")
def comfyui() -> Path:
    """The folder of a ComfyUI that the pack runs in."""
    place = find_comfyui()
    if place is None:
        pytest.skip(f"no ComfyUI {COMFYUI_RELEASE} or newer here (set COMFYUI_PATH)")
    return place


@pytest.fixture(scope="session")
def demo_repository() -> Path:
    """The demo repository, made once in out/demo and reused by later runs.

    Tests change files in it and put them back: each worker of a parallel run has its own.
    """
    from personalq.demo.repository import make_demo

    folder = ROOT / "out" / os.environ.get("PYTEST_XDIST_WORKER", "") / "demo"
    make_demo(folder)
    return folder


@pytest.fixture
def sidecar(demo_repository: Path) -> Iterator[Path]:
    """The sidecar of bear_realistic_v3, put back as it was."""
    file = demo_repository / "loras" / "bear" / "bear_realistic_v3.personalq.yaml"
    before = file.read_bytes()
    yield file
    file.write_bytes(before)


@pytest.fixture(scope="session")
def host(
    comfyui: Path,
    demo_repository: Path,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator:
    """One running ComfyUI with the pack and the demo repository, shared by all tests of the
    session.

    Its front end is its own, or the one that PERSONALQ_FRONT_END names.
    """
    from personalq.demo.host_process import HostProcess, device_arguments
    from personalq.tests.front_end import NoFrontEnd, front_end_arguments

    assert pytestconfig.cache
    cache = pytestconfig.cache.mkdir("front_end")
    try:
        front_end = front_end_arguments(os.environ.get("PERSONALQ_FRONT_END", ""), cache)
    except NoFrontEnd as reason:
        pytest.skip(str(reason))
    base = tmp_path_factory.mktemp("comfyui")
    # Without it, ComfyUI forgets results where other programs leave a tenth of the memory free.
    arguments = [*device_arguments(), "--cache-ram", "0", *front_end]
    with HostProcess(comfyui, demo_repository, base, arguments=arguments) as process:
        yield process


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests that take longest come last, where their files share the workers best."""
    items.sort(key=lambda item: item.path.parent.name == "browser")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Leave out what would begin too late."""
    if time.monotonic() - BEGUN > MINUTES * 60:
        pytest.skip(f"no time is left (PERSONALQ_TEST_MINUTES={MINUTES:g})")


def pytest_terminal_summary(terminalreporter) -> None:
    """One line per reason to skip, and the totals."""
    stats = terminalreporter.stats
    skipped = stats.get("skipped", [])
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in skipped if report.longrepr
    )
    terminalreporter.section("skipped" if skipped else "nothing skipped")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:4} skipped: {reason}")
    failed = len(stats.get("failed", [])) + len(stats.get("error", []))
    terminalreporter.write_line(
        f"{len(stats.get('passed', []))} passed, {failed} failed, {len(skipped)} skipped"
    )
