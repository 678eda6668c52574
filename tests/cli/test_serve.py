"""Test `personalq serve` up to the moment when Ray starts: what it refuses, and its tokens."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy comes with ComfyUI")

from personalq.cli.main import main
from personalq.comfyui_folder import COMFYUI_RELEASE


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A folder of models, something that looks like ComfyUI, and settings of nobody."""
    (tmp_path / "models" / "checkpoints").mkdir(parents=True)
    host = tmp_path / "ComfyUI"
    host.mkdir()
    (host / "main.py").touch()
    version = f'__version__ = "{COMFYUI_RELEASE.removeprefix("v")}"\n'
    (host / "comfyui_version.py").write_text(version, "utf-8")
    return tmp_path


def serve(state: Path, *options: str) -> int:
    places = ["--models", state / "models", "--comfyui", state / "ComfyUI", "--settings", state]
    return main(["serve", *map(str, places), *options])


def refused(state: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert serve(state, *options) == 2
    return capsys.readouterr().err


def test_without_ray_it_says_how_to_install_it(
    state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    said = refused(state, capsys, "--port", "0")
    assert "Ray Serve is not installed" in said
    assert f'"{sys.executable}" -m pip install "ray[serve]' in said


def test_the_command_loads_no_ray(state: Path) -> None:
    program = (
        "import sys; from personalq.cli.main import parse; parse(['serve']); "
        "import personalq.serve.front, personalq.serve.start; "
        "print(sorted({'ray', 'fastapi', 'torch'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr


def test_a_port_in_use(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refused(state, capsys, "--port", str(port))
    assert f"port {port} of 127.0.0.1 cannot be used" in said
    assert "--port" in said.replace(f"port {port}", "")


def test_a_port_that_none_can_be(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "port 99999 of 127.0.0.1 cannot be used" in refused(state, capsys, "--port", "99999")


def test_another_address_needs_a_token(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--new-token NAME" in refused(state, capsys, "--host", "0.0.0.0")


def test_models_that_are_not_there(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (state / "models" / "checkpoints").rmdir()
    assert "name a folder of models" in refused(state, capsys)


def test_a_store_that_cannot_be_opened(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(state, capsys, "--port", "0", "--store", "postgres+no://u:secret@h/d")
    assert "--store sqlite:///FILE" in said
    assert "secret" not in said


@pytest.mark.parametrize(
    "wrong", [("--painters", "0"), ("--cores", "-1"), ("--painters", "3", "--most-painters", "2")]
)
def test_wrong_numbers(
    state: Path, capsys: pytest.CaptureFixture[str], wrong: tuple[str, ...]
) -> None:
    assert f"personalq: {wrong[-2]} must" in refused(state, capsys, *wrong)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--new-token", ""), "a token needs a name"),
        (("--forget-token", ""), "no token is named ''"),
        (("--new-token", "anna", "--a-minute", "0"), "--a-minute must be more than 0"),
        (("--new-token", "anna", "--jobs", "-1"), "--jobs must be more than 0"),
    ],
)
def test_wrong_tokens(
    state: Path, capsys: pytest.CaptureFixture[str], wrong: tuple[str, ...], said: str
) -> None:
    assert said in refused(state, capsys, *wrong)
    assert not (state / "serve" / "tokens.yaml").exists()


def test_tokens_are_made_listed_and_removed(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve(state, "--new-token", "anna", "--a-minute", "5", "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert made["tokens"] == [{"name": "anna", "a_minute": 5, "waiting": 20}]
    assert serve(state, "--tokens") == 0
    listed = capsys.readouterr().out
    assert listed == "anna: 5 requests a minute, 20 jobs\n"
    assert made["token"] not in (state / "serve" / "tokens.yaml").read_text("utf-8")
    assert serve(state, "--forget-token", "anna") == 0
    assert serve(state, "--forget-token", "anna") == 2
