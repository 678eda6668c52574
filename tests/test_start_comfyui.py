"""Test that a program ends with the one that started it, however that one ends."""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from personalq.start_comfyui import ask_comfyui, start_comfyui
from personalq.tests.checkin.llm.server import Reply, serving, through

MAIN = """
import sys, time
print("arguments:", *sys.argv[1:], flush=True)
time.sleep(300)
"""
START = """
import subprocess, sys, time
from pathlib import Path
from personalq.start_comfyui import start_comfyui

folder, how = Path(sys.argv[1]), sys.argv[2]

class Interrupted(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        print(self.pid, flush=True)
        if how == "interrupted":
            raise KeyboardInterrupt

subprocess.Popen = Interrupted
try:
    started = start_comfyui(folder, ["--port", "1"], folder / "log")
except KeyboardInterrupt:
    sys.exit(0)
while how == "killed":
    time.sleep(1)
sys.exit(0)
"""


@pytest.mark.parametrize("how", ["killed", "interrupted", "ends"])
def test_it_ends_with_what_started_it(tmp_path: Path, how: str) -> None:
    psutil = pytest.importorskip("psutil", reason="psutil is not installed")
    (tmp_path / "main.py").write_text(MAIN, encoding="utf-8")
    command = [sys.executable, "-P", "-c", START, str(tmp_path), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starting:
        assert starting.stdout
        child = psutil.Process(int(starting.stdout.readline()))
        if how == "killed":
            assert child.is_running()
            starting.kill()
        starting.wait(timeout=30)
    _, alive = psutil.wait_procs([child], timeout=30)
    assert not alive


def test_what_the_program_starts_does_not_wait_for_input(tmp_path: Path) -> None:
    child = "import subprocess, sys; print(subprocess.run([sys.executable, '-c', READ]).returncode)"
    read = "READ = 'import sys; sys.exit(len(sys.stdin.read()))'\n"
    (tmp_path / "main.py").write_text(read + child, encoding="utf-8")
    with start_comfyui(tmp_path, [], tmp_path / "log") as process:
        assert process.wait(timeout=30) == 0
    assert (tmp_path / "log").read_text(encoding="utf-8").split() == ["0"]


def test_the_program_gets_its_arguments_and_its_output_goes_to_the_log(tmp_path: Path) -> None:
    main = MAIN.replace("time.sleep(300)", "")
    (tmp_path / "main.py").write_text(main, encoding="utf-8")
    with start_comfyui(tmp_path, ["--port", "8190"], tmp_path / "log") as process:
        assert process.wait(timeout=30) == 0
    assert (tmp_path / "log").read_text(encoding="utf-8").split() == [
        "arguments:",
        "--port",
        "8190",
    ]


def test_no_proxy_is_asked_for_a_comfyui_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([Reply(status=502)]) as proxy, serving([Reply(b"here")]) as comfyui:
        through(proxy.url, monkeypatch)
        with ask_comfyui(urllib.request.Request(comfyui.url, b"{}"), 10) as answer:
            assert answer.read() == b"here"
        assert not proxy.asked
