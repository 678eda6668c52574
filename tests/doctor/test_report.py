"""Test the table for a person, and the JSON, which contains no names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from personalq.doctor import report
from personalq.doctor.processes import Found
from personalq.doctor.rows import FAILED, SKIPPED, Row

ROWS = [
    Row(
        "Linear",
        "1 x 2",
        backend="comfy-kitchen",
        error=4.2e-8,
        bound=1e-5,
        ms=2.0,
        float_ms=4.0,
        launch_ms=0.1,
    ),
    Row("UNet", "8 px", layers=50, launch_ms=100.0, peak_mib=700.4, estimate_mib=712.0),
    Row("Linear", "3 x 4", FAILED, "RuntimeError: no kernel"),
    Row("Conv2d", "5", SKIPPED, "no time was left"),
]
FOUND = Found(
    {"torch": "2.11", "HIP": None, "who computes": {"Linear 8-bit": "comfy-kitchen: why"}}, ROWS
)


@pytest.fixture
def anna(monkeypatch, tmp_path):
    """A person with a home, a machine, and a ComfyUI elsewhere."""
    home = tmp_path / "Anna Smith"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setattr(report, "_user", lambda: "Anna Smith")
    monkeypatch.setattr(report.platform, "node", lambda: "ANNAS-PC")
    return home


def test_the_table():
    lines = report.text(FOUND, 12.3).splitlines()
    assert lines[:2] == ["torch: 2.11", "who computes, Linear 8-bit: comfy-kitchen: why"]
    heads = lines[3].split("  ")
    assert [head.strip() for head in heads if head] == [
        *("check", "shape", "backend", "result", "error", "bound"),
        *("ms", "fp ms", "ratio", "CPU ms", "a layer", "peak MiB", "estimate"),
    ]
    assert lines[4].split() == [
        "Linear",
        "1",
        "x",
        "2",
        "comfy-kitchen",
        "ok",
        *"4.2e-08 1e-05 2 4 0.5 0.1 0.1".split(),
    ]
    assert lines[5].split() == ["Linear", "3", "x", "4", "FAILED"]
    assert lines[6].split() == ["UNet", "8", "px", "ok", "100", "2", "700", "712"]
    assert "FAILED (1): Linear: 3 x 4: RuntimeError: no kernel" in lines
    assert "skipped (1): Conv2d: 5: no time was left" in lines
    assert lines[-1] == "1 of 4 checks failed, in 12 s."


def test_the_json_has_all_of_it():
    summed = json.loads(report.to_json(report.summary(FOUND, 12.34, None)))
    assert summed["counts"] == {"ok": 2, "FAILED": 1, "skipped": 1}
    assert summed["seconds"] == 12.3
    assert summed["environment"] == FOUND.environment
    assert [row["ratio"] for row in summed["rows"]] == [0.5, None, None, None]
    assert summed["rows"][0]["error"] == 4.2e-8


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("No such file: '{home}/ComfyUI/x.py'", "No such file: '<home>/ComfyUI/x.py'"),
        ("OSError: {comfyui}/models/loras/anna.safetensors", "OSError: <ComfyUI>"),
        ("{comfyui}/custom_nodes/anna: gone", "<ComfyUI>: gone"),
        (r"cannot open 'D:\\Pictures\\Anna\\bear.safetensors', gone", "cannot open '<path>', gone"),
        (r"cannot open \\server\Anna\models", "cannot open <path>"),
        ("in /mnt/anna-disk/model.py: line 3", "in <path>: line 3"),
        ("host ANNAS-PC of Anna Smith", "host <name> of <name>"),
        ("1/3 of int8 and/or fp16, 3 MB/s", "1/3 of int8 and/or fp16, 3 MB/s"),
        ("SDXL 1024 px, 2x1024, 1280 -> 10240", "SDXL 1024 px, 2x1024, 1280 -> 10240"),
    ],
)
def test_nothing_of_a_person_is_told(anna, tmp_path, said, left):
    comfyui = tmp_path / "tools" / "ComfyUI"
    clean = report.Scrubber(comfyui)
    assert clean(said.format(home=anna, comfyui=comfyui)) == left


def test_windows_folders_in_any_form(anna):
    folder = r"C:\Users\Anna Smith\ComfyUI"
    forms = report._forms(Path(folder))
    assert folder in forms
    assert folder.replace("\\", "\\\\") in forms


def test_texts_inside_of_everything_are_cleaned(anna):
    found = Found(
        {"torch": "2.11", "who": {"Linear": f"{anna}/x"}},
        [Row("a", "b", FAILED, f"Error: {anna}/y")],
    )
    assert str(anna) not in report.to_json(report.summary(found, 1, None))
