"""Test quickstart.py: its environment, `open`, its messages, and the run without ComfyUI."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from personalq import quickstart
from personalq.quickstart import environment_fingerprint
from personalq.tests.opened_canvas import READY, opened_canvas

ROOT = Path(quickstart.__file__).parent


def test_the_environment_is_made_again_when_a_requirements_file_changes(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("numpy\n", encoding="utf-8")
    before = environment_fingerprint(["-r", str(requirements)])
    assert environment_fingerprint(["-r", str(requirements)]) == before
    requirements.write_text("numpy>=2\n", encoding="utf-8")
    assert environment_fingerprint(["-r", str(requirements)]) != before


def test_an_environment_that_was_only_begun_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after Ctrl+C, or on a Debian without python3-venv: its Python is there, and no pip."""
    done: list[str] = []
    monkeypatch.setattr(quickstart, "VENV", tmp_path)
    monkeypatch.setattr(quickstart, "step", lambda command, *_: done.append(" ".join(command)))
    python = tmp_path / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    python.parent.mkdir()
    python.touch()
    assert quickstart.make_environment(None, ()) == python
    assert done[0].endswith(f"-m venv {tmp_path}")
    before = len(done)
    assert quickstart.make_environment(None, ()) == python
    assert len(done) == before, "a complete environment is reused"


def test_options_that_there_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Sequence[object]] = []
    monkeypatch.setattr(quickstart, "find_comfyui", lambda named: named or ROOT)
    monkeypatch.setattr(quickstart, "call", lambda command, _: called.append(command) or 0)
    with pytest.raises(SystemExit, match="2"):
        quickstart.main(["setup", "--no-install", "--nonsense"])
    assert quickstart.main(["test", "--no-install", "--co", "tests/test_batch.py"]) == 0
    assert called[0][-2:] == ["--co", "tests/test_batch.py"]


def _get(address: str, path: str) -> Any:
    with urllib.request.urlopen(urljoin(address, path), timeout=60) as answer:
        return json.load(answer)


def _press_ctrl_c(process: subprocess.Popen) -> None:
    """On Windows Ctrl+Break: a new process group does not get Ctrl+C."""
    if os.name == "nt":
        process.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        os.killpg(process.pid, signal.SIGINT)


def test_open_leaves_comfyui_running_on_the_demo_models_until_ctrl_c(
    comfyui: Path, demo_repository: Path, tmp_path: Path
) -> None:
    with opened_canvas(comfyui, demo_repository, tmp_path) as opened:
        opened.wait_until_said(READY)
        address = opened.address
        assert "my latest realistic bear on forest grass" in opened.said
        with urllib.request.urlopen(address, timeout=60) as page:
            assert page.headers.get_content_type() == "text/html"
        nodes = _get(address, "/object_info")
        assert {"PersonalQCheckIn", "PersonalQClarify", "PersonalQTAQ"} <= set(nodes)
        assert (
            "1-Ask-for-your-model-PersonalQ.app"
            in _get(address, "/workflow_templates")["personalq"]
        )
        assert "demo_base.safetensors" in _get(address, "/models/checkpoints")
        assert len(_get(address, "/models/loras")) > 10
        _press_ctrl_c(opened.process)
        assert opened.process.wait(timeout=30) == 0, opened.said
        assert "Traceback" not in opened.said
        assert opened.said.endswith("ComfyUI has ended.\n")
        with pytest.raises(urllib.error.URLError):
            _get(address, "/system_stats")


@pytest.mark.parametrize(
    ("end", "code"),
    [
        pytest.param(
            subprocess.Popen.terminate,
            0,
            marks=pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM"),
        ),
        pytest.param(subprocess.Popen.kill, None, id="killed"),
    ],
)
def test_open_leaves_no_process_however_it_is_ended(
    comfyui: Path,
    demo_repository: Path,
    tmp_path: Path,
    end: Callable[[subprocess.Popen], None],
    code: int | None,
) -> None:
    """Also while ComfyUI is still starting."""
    psutil = pytest.importorskip("psutil", reason="psutil is not installed")
    with opened_canvas(comfyui, demo_repository, tmp_path) as opened:
        opened.wait_until_said("Starting ComfyUI")
        while not any("main.py" in child.cmdline() for child in _children(psutil, opened.process)):
            pass
        children = _children(psutil, opened.process)
        end(opened.process)
        ended = opened.process.wait(timeout=30)
        assert code is None or ended == code, opened.said
        _, alive = psutil.wait_procs(children, timeout=30)
        assert not alive
        assert "Traceback" not in opened.said


def _children(psutil: Any, process: subprocess.Popen) -> list[Any]:
    return psutil.Process(process.pid).children(recursive=True)


def _without_comfyui(home: Path) -> dict[str, str]:
    """An environment in which no ComfyUI is found, and git reaches nothing."""
    proxy = dict.fromkeys(
        ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy"), "http://127.0.0.1:9"
    )
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COMFYUI_PATH", "NO_PROXY")
    }
    return inherited | proxy | {"HOME": str(home), "USERPROFILE": str(home)}


@pytest.mark.skipif(
    quickstart.CLONE.exists(), reason="ComfyUI was cloned into this folder: it would be found"
)
def test_without_comfyui_the_rest_runs_and_the_exit_code_says_so(
    demo_repository: Path, tmp_path: Path
) -> None:
    if any(folder.parent.name == "custom_nodes" for folder in (ROOT, ROOT.resolve())):
        pytest.skip("this folder lies in a ComfyUI: it would be found")
    summary_file = tmp_path / "summary.json"
    command = [
        sys.executable,
        ROOT / "quickstart.py",
        "--no-install",
        "--out",
        demo_repository.parent,
    ]
    ran = subprocess.run(
        [*command, "--json", summary_file],
        cwd=tmp_path,
        env=_without_comfyui(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert "cannot be cloned" in ran.stdout
    summary = json.loads(summary_file.read_text(encoding="utf-8"))
    assert summary["exit_code"] == 3
    assert all(request["as_expected"] for request in summary["requests"])
    drawn = [
        turn for request in summary["requests"] for turn in request["turns"] if turn["picture"]
    ]
    assert len(drawn) == 2
    for turn in drawn:
        assert Path(turn["picture"]).stat().st_size > 1000
        assert turn["unet_bytes_after"] < 0.65 * turn["unet_bytes_before"]
    assert "ComfyUI" in summary["left_out"]


@pytest.mark.skipif(
    quickstart.CLONE.exists(), reason="ComfyUI was cloned into this folder: it would be found"
)
def test_without_comfyui_there_is_nothing_to_open(tmp_path: Path) -> None:
    if any(folder.parent.name == "custom_nodes" for folder in (ROOT, ROOT.resolve())):
        pytest.skip("this folder lies in a ComfyUI: it would be found")
    command = [
        sys.executable,
        ROOT / "quickstart.py",
        "open",
        "--no-install",
        "--out",
        tmp_path / "out",
    ]
    ran = subprocess.run(
        command,
        env=_without_comfyui(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert "cannot be cloned" in ran.stdout
    assert "set COMFYUI_PATH" in ran.stdout
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="the git of this test is a shell script")
@pytest.mark.skipif(
    quickstart.CLONE.exists(), reason="ComfyUI was cloned into this folder: it would be found"
)
def test_ctrl_c_stops_it_with_a_sentence(tmp_path: Path) -> None:
    if any(folder.parent.name == "custom_nodes" for folder in (ROOT, ROOT.resolve())):
        pytest.skip("this folder lies in a ComfyUI: it would be found")
    git = tmp_path / "git"
    git.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    git.chmod(0o700)
    environment = _without_comfyui(tmp_path)
    process = subprocess.Popen(
        [sys.executable, ROOT / "quickstart.py", "setup", "--no-install"],
        env=environment | {"PATH": f"{tmp_path}{os.pathsep}{environment['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a shell that starts tests in the background lets them ignore it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout
    assert "cloning" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said == "\nquickstart: stopped. The same command goes on from there.\n"


def test_an_old_clone_is_to_be_moved_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = tmp_path / ".comfyui"
    clone.mkdir()
    (clone / "main.py").touch()
    (clone / "comfyui_version.py").write_text('__version__ = "0.30.0"', encoding="utf-8")
    monkeypatch.setattr(quickstart, "CLONE", clone)
    assert quickstart.clone_comfyui() is None
    said = capsys.readouterr().out
    assert f"into {clone}: move it away, because PersonalQ needs ComfyUI" in said
    assert [*tmp_path.iterdir()] == [clone]


@pytest.mark.skipif(os.name == "nt", reason="the git of this test is a shell script")
def test_a_clone_that_takes_too_long_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(
        '#!/bin/sh\n[ "$1" = clone ] || exit 0\nfor last; do :; done\n'
        'mkdir "$last"; touch "$last/half"; exec sleep 60\n',
        encoding="utf-8",
    )
    git.chmod(0o700)
    run = subprocess.run
    monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(quickstart, "CLONE", tmp_path / ".comfyui")
    monkeypatch.setattr(
        subprocess, "run", lambda *given, **named: run(*given, **named | {"timeout": 2})
    )
    assert quickstart.clone_comfyui() is None
    assert "no answer within" in capsys.readouterr().out
    assert [*tmp_path.iterdir()] == [git.parent]


def test_a_named_comfyui_that_is_none_ends_with_the_next_step(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "quickstart.py", "--no-install", "--comfyui", tmp_path]
    ran = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert ran.returncode == 1
    assert "it holds no ComfyUI" in ran.stderr


@pytest.mark.skipif(os.name == "nt", reason="links need special rights on Windows")
def test_a_console_that_cannot_show_a_path_gets_the_rest(comfyui: Path, tmp_path: Path) -> None:
    python = tmp_path / "熊" / "python"
    python.parent.mkdir()
    python.symlink_to(os.path.realpath(sys.executable))
    ran = subprocess.run(
        [python, ROOT / "quickstart.py", "setup", "--no-install", "--comfyui", comfyui],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode("cp1252") == f"Ready: {tmp_path}/\\u718a/python\n"


@pytest.mark.parametrize(
    ("arguments", "parallel"),
    [
        ([], True),
        (["tests/checkin", "-k", "bear"], True),
        (["tests/browser", "tests/test_main.py", "tests/test_package.py"], True),
        (["tests/test_main.py"], False),
        (["-x", "tests/test_main.py::test_one"], False),
    ],
)
def test_tests_run_on_all_cores_unless_they_are_of_one_file(
    arguments: list[str], parallel: bool
) -> None:
    assert ("-n" in quickstart.in_parallel(arguments)) is parallel
