"""Test tokens: only hashes are stored, and each has its limits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from personalq.serve.tokens import Pace, Tokens


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(tmp_path / "state" / "tokens.yaml")


def test_a_token_is_known_and_not_stored(tokens: Tokens) -> None:
    secret = tokens.make("anna", a_minute=5, waiting=2)
    assert secret not in tokens.file.read_text("utf-8")
    found = tokens.of(f"Bearer {secret}")
    assert found
    assert (found.name, found.a_minute, found.waiting) == ("anna", 5, 2)
    assert tokens.of(f"Bearer {secret}x") is None
    assert tokens.of(f"Basic {secret}") is None
    assert tokens.of("") is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_nobody_else_reads_the_file(tokens: Tokens) -> None:
    tokens.make("anna")
    assert tokens.file.stat().st_mode & 0o077 == 0


def test_a_change_by_another_process_counts_at_once(tokens: Tokens) -> None:
    other = Tokens(tokens.file)
    secret = other.make("anna")
    assert tokens.of(f"Bearer {secret}")
    other.make("bert")
    other.forget("anna")
    assert tokens.of(f"Bearer {secret}") is None
    assert [one.name for one in tokens.all()] == ["bert"]


def test_processes_that_change_the_file_at_once_lose_nothing(tokens: Tokens) -> None:
    program = (
        "import sys; from pathlib import Path; from personalq.serve.tokens import Tokens; "
        "tokens = Tokens(Path(sys.argv[1])); "
        "[tokens.make(f'{sys.argv[2]}-{number}') for number in range(15)]"
    )
    processes = [
        subprocess.Popen([sys.executable, "-P", "-c", program, str(tokens.file), name])
        for name in ("a", "b", "c")
    ]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(tokens.all()) == 45


def test_names_are_unique_and_known(tokens: Tokens) -> None:
    tokens.make("anna")
    with pytest.raises(ValueError, match="--forget-token 'anna'"):
        tokens.make("anna")
    with pytest.raises(ValueError, match="There are: anna"):
        tokens.forget("bert")


def test_a_broken_file_lets_nobody_in(tokens: Tokens) -> None:
    tokens.make("anna")
    tokens.file.write_text("- name: [", "utf-8")
    os.utime(tokens.file, (1, 1))
    with pytest.raises(ValueError, match="--new-token"):
        tokens.of("Bearer pq_x")


def test_the_pace_of_a_minute() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    assert [pace.wait("anna", 2) for _ in range(2)] == [0, 0]
    now[0] = 10
    assert pace.wait("anna", 2) == 50
    assert pace.wait("bert", 2) == 0
    now[0] = 60
    assert pace.wait("anna", 2) == 0
