"""Test that a check which fails, dies, hangs or breaks the device becomes a row, and others run.

A small program replaces the process that checks, and reports as the real one does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.doctor import processes
from personalq.doctor.messages import received
from personalq.doctor.rows import FAILED, OK, SKIPPED, Check, NotHere, Row, measured
from personalq.doctor.worker import by_turns

PROGRAM = """
import json, os, sys, time
job = json.loads(sys.argv[sys.argv.index("--job") + 1])

def say(**message):
    print("a library speaks")
    print("personalq-doctor: " + json.dumps(message), flush=True)

def row(name, result="ok", reason=""):
    say(row={{"check": name, "shape": "s", "result": result, "reason": reason}})

def checks():
    {comfyui}
    say(environment={{"device": "cpu", "with ComfyUI": job["comfyui"]}})
    for name in ("first", "second", "third"):
        if name not in job["done"]:
            say(started=name, check=name, shape="s")
            if name == "second":
                {second}
            row(name)
    say(finished=True)

checks()
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch):
    """Writes the program and runs it to the end; gives what was found."""
    monkeypatch.setattr(processes, "ENTRY", tmp_path)

    def run(
        second: str = "pass", comfyui: str = "pass", place: Path | None = None
    ) -> processes.Found:
        text = PROGRAM.format(second=second, comfyui=comfyui)
        (tmp_path / "__main__.py").write_text(text, encoding="utf-8")
        return processes.check_all(None, True, place, 60, lambda found: None)

    return run


def results(found: processes.Found) -> dict[str, str]:
    return {row.check: row.result for row in found.rows}


def test_all_is_well(program):
    found = program()
    assert results(found) == {"first": OK, "second": OK, "third": OK}
    assert found.environment == {"device": "cpu", "with ComfyUI": None}


def test_a_check_that_ends_the_process_is_one_row(program):
    found = program('print("bad kernel", file=sys.stderr); os._exit(9)')
    assert results(found) == {"first": OK, "second": FAILED, "third": OK}
    assert found.rows[1].reason == "the process ended with 9: bad kernel"


def test_a_check_that_hangs_is_one_row(program, monkeypatch):
    monkeypatch.setattr(processes, "SILENCE", 1.0)
    found = program("time.sleep(60)")
    assert results(found) == {"first": OK, "second": FAILED, "third": OK}
    assert "no answer within 1 s" in found.rows[1].reason


def test_a_broken_device_gets_a_new_process(program):
    found = program('row("second", "FAILED", "illegal address"); sys.exit(3)')
    assert results(found) == {"first": OK, "second": FAILED, "third": OK}
    assert [row.reason for row in found.rows] == ["", "illegal address", ""]


def test_a_comfyui_that_does_not_start_leaves_the_other_checks(program, tmp_path):
    start = (
        'say(started="ComfyUI: starts", check="ComfyUI", shape="starts") if job["comfyui"] else '
        "None"
    )
    found = program(
        comfyui=f'{start}; job["comfyui"] and sys.exit("no module named comfy")', place=tmp_path
    )
    assert results(found) == {"ComfyUI": FAILED, "first": OK, "second": OK, "third": OK}
    assert found.rows[0].reason == "the process ended with 1: no module named comfy"


def test_processes_that_keep_ending_are_not_started_for_ever(program):
    found = program(comfyui='sys.exit("nothing works")')
    assert len(found.rows) == processes.MAX_STARTS + 1
    assert found.rows[-1].result == SKIPPED
    assert found.rows[0].reason.endswith("nothing works")


def test_wrong_input_is_no_row(program):
    with pytest.raises(ValueError, match=r"^no such device$"):
        program(comfyui='print("no such device", file=sys.stderr); sys.exit(4)')


def test_an_environment_that_raises_is_a_row(program):
    found = program(comfyui="raise OSError('a library cannot be loaded')")
    assert found.rows[0].result == FAILED
    assert "a library cannot be loaded" in found.rows[0].reason
    ended = program(comfyui='print("WinError 126", file=sys.stderr); sys.exit(2)')  # cli/main.py
    assert ended.rows[0].result == FAILED


def test_a_message_that_was_cut_off_is_none():
    assert received('personalq-doctor: {"row": {"che') is None
    assert received("a library speaks") is None
    assert received('personalq-doctor: {"finished": true}') == {"finished": True}


def test_whatever_a_check_raises_is_in_its_row():
    def broken() -> dict:
        raise RuntimeError("no kernel\nfor a page")

    def not_here() -> dict:
        raise NotHere("no GPU")

    class OutOfMemoryError(RuntimeError):
        pass

    def full() -> dict:
        raise OutOfMemoryError("8 GiB")

    row = measured(Check("a", "b", broken))
    assert row.result == FAILED
    assert row.reason.startswith("RuntimeError: no kernel (test_processes.py:")
    assert measured(Check("a", "b", not_here)) == Row("a", "b", SKIPPED, "no GPU")
    assert measured(Check("a", "b", full)).result == SKIPPED


@pytest.mark.parametrize(
    ("error", "bound", "result"),
    [
        (0.0, 0.0, OK),
        (0.1, 0.1, OK),
        (0.11, 0.1, FAILED),
        (float("nan"), 1.0, FAILED),
        (float("inf"), 1.0, FAILED),
    ],
)
def test_a_bound_decides(error, bound, result):
    row = measured(Check("a", "b", lambda: {"error": error, "bound": bound}))
    assert row.result == result
    assert bool(row.reason) == (result == FAILED)
    assert row.error is None or row.error == error


def test_what_time_is_left_for_has_some_of_everything():
    checks = [Check(name, str(number), dict) for name in "ab" for number in range(3)]
    turns = by_turns(checks, [Check("c", "0", dict)])
    assert [check.key for check in turns] == [
        "a: 0",
        "b: 0",
        "c: 0",
        "a: 1",
        "b: 1",
        "a: 2",
        "b: 2",
    ]
