"""Test the pack's folder as a program.

It runs under any name, without being installed, and is never on sys.path.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from personalq.cli import main as cli
from personalq.taq_kernels.backends import registry
from personalq.tests.release import archive as release


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pack as a user has it, called otherwise."""
    place = tmp_path_factory.mktemp("somewhere") / "custom_nodes" / "ComfyUI-PersonalQ-main"
    try:
        return release.make_archive(place)
    except release.NoCheckout as error:
        pytest.skip(f"not a git checkout ({error})")


def run(
    pack: Path, *arguments: object, flags: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *flags, str(pack), *map(str, arguments)]
    return subprocess.run(
        command, cwd=pack.parent, capture_output=True, encoding="utf-8", check=False
    )


def test_doctor(pack: Path, comfyui: Path) -> None:
    """Of all the checks in a process of their own, in ComfyUI; the report names nobody."""
    done = run(pack, "doctor", "--quick", "--share", "--device", "cpu", "--comfyui", comfyui)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "none failed" in done.stdout.splitlines()[-1]
    text = (pack.parent / "personalq-doctor.json").read_text(encoding="utf-8")
    shared = json.loads(text)
    checks = {row["check"] for row in shared["rows"]}
    others = {(row["check"], row["result"]) for row in shared["rows"] if row["result"] != "ok"}
    not_here = {"GroupNorm, SiLU and Conv2d"}  # on a CPU they run by themselves
    if registry.int8_products(registry.machine("cpu")).name == registry.FLOAT:
        not_here.add("pixel codes")
    assert others == {(check, "skipped") for check in not_here}
    assert {
        "UNet W8A8 in ComfyUI",
        "two LoRAs",
        "Linear 4-bit",
        "Conv2d 8-bit",
        "attention, 4-bit rows",
    } <= checks
    assert {"torch", "device", "dynamic VRAM", "who computes"} <= shared["environment"].keys()
    assert not [
        name
        for name in (str(Path.home()), str(pack.parent), str(comfyui), pack.name)
        if name in text
    ]
    assert not list(pack.parent.glob("**/*.safetensors"))


def test_other_commands(pack: Path, tmp_path: Path) -> None:
    done = run(pack, "history", "--json", "--settings", tmp_path)
    assert (done.returncode, json.loads(done.stdout)["uses"]) == (0, []), done.stderr


def test_what_is_not_installed_is_said(pack: Path) -> None:
    done = run(pack, "ask", "a bear", flags=("-S",))
    assert done.returncode == 1
    assert "is not installed: run" in done.stderr
    assert str(pack / "requirements.txt") in done.stderr


def test_the_folder_leaves_the_path(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("entry", pack / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    entry = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(entry)
    monkeypatch.setattr(sys, "path", [str(pack), "elsewhere"])
    monkeypatch.setitem(sys.modules, "personalq", sys.modules["personalq"])
    entry.load(pack)
    assert sys.path == ["elsewhere"]
    assert list(sys.modules["personalq"].__path__) == [str(pack)]


@pytest.mark.parametrize("wrong", [("--comfyui", "nowhere"), ("--device", "my GPU")])
def test_wrong_input(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", *wrong]) == 2
    assert "personalq: " in capsys.readouterr().err
