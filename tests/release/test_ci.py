"""The CI workflow: what it runs is there, and both systems are in it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
STEP_KEYS = {"name", "uses", "with", "run", "env", "if", "shell"}


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    return yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def test_it_runs_for_changes_with_no_more_rights_than_reading(workflow):
    assert set(workflow[True]) == {"push", "pull_request"}  # YAML 1.1 takes the key `on` for true
    assert workflow["permissions"] == {"contents": "read"}


def test_each_step_does_one_thing_that_github_knows(workflow):
    for job in workflow["jobs"].values():
        assert {"runs-on", "timeout-minutes", "steps"} <= set(job)
        for step in job["steps"]:
            assert set(step) <= STEP_KEYS
            assert ("uses" in step) != ("run" in step)


def test_both_systems_run_the_oldest_python_and_a_newer_one(workflow):
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "requires-python"
    ]
    systems = {
        job["runs-on"]: job["strategy"]["matrix"]["python"] for job in workflow["jobs"].values()
    }
    assert set(systems) == {"ubuntu-latest", "windows-latest"}
    assert all(f">={versions[0]}" == oldest and len(versions) > 1 for versions in systems.values())


def test_every_file_that_a_command_names_is_there(workflow):
    named = [
        word
        for job in workflow["jobs"].values()
        for run in commands(job)
        for word in run.split()
        if "/" in word
    ]
    assert ".ci/run" in named
    assert "tests/release" in named
    assert [word for word in named if not list(ROOT.glob(word))] == []


def test_a_browser_or_a_shared_comfyui_is_needed_on_linux_alone(workflow):
    tests = " ".join(commands(workflow["jobs"]["windows"]))
    assert not re.search(r"tests/(?:browser|host|web|bench)", tests)
