"""Test what is said where Ray cannot be used."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

import pytest

from personalq.cli.main import main
from personalq.tests.checkin import make_files as make


def test_without_ray_it_says_how_to_install_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_lora(tmp_path / "a.safetensors")
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    assert main(["describe", str(tmp_path), "--ray"]) == 2
    assert '-m pip install "ray[serve]' in capsys.readouterr().err


def test_an_address_that_does_not_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="the extra serve is not installed (docs/development.md)")
    make.make_lora(tmp_path / "a.safetensors")
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    started = time.monotonic()
    assert main(["describe", str(tmp_path), "--ray", f"127.0.0.1:{port}"]) == 2
    assert f"no Ray at 127.0.0.1:{port} takes this command: start one" in capsys.readouterr().err
    assert time.monotonic() - started < 30, "Ray itself tries for minutes"
    assert main(["describe", str(tmp_path), "--ray", "nonsense"]) == 2
    assert "write HOST:PORT" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="on Windows everybody has a home folder")
def test_without_a_home_folder_the_address_is_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container, for a user that only has a number."""
    import pwd

    pytest.importorskip("ray", reason="the extra serve is not installed (docs/development.md)")
    make.make_lora(tmp_path / "a.safetensors")
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", lambda _: {}["nobody"])
    assert main(["describe", str(tmp_path), "--ray", "127.0.0.1:9"]) == 2
    assert "no Ray at 127.0.0.1:9 takes this command" in capsys.readouterr().err


def test_a_ray_that_does_not_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emulated at its edge: what Ray 2.60 raises where a busy machine keeps its processes late."""
    ray = pytest.importorskip(
        "ray", reason="the extra serve is not installed (docs/development.md)"
    )

    def late(**options: object) -> None:
        raise Exception("The current node timed out during startup. This could happen because ...")

    monkeypatch.setattr(ray, "init", late)
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    make.make_lora(tmp_path / "a.safetensors")
    assert main(["describe", str(tmp_path), "--ray"]) == 2
    said = capsys.readouterr().err
    assert "Ray did not start on this machine (The current node timed out" in said
    assert "without --ray" in said
