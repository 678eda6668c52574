"""Test workflows, issue forms and hooks: what they run exists; CI comes before publishing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
FORMS = sorted(
    path.name for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"
)
STEP_KEYS = {"name", "uses", "with", "run", "env", "if", "shell"}
FIELDS = {"markdown", "input", "textarea", "dropdown", "checkboxes"}
SYSTEMS = {"ubuntu-latest", "windows-latest", "macos-latest"}
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def load(*place: str) -> dict[str, Any]:
    return yaml.safe_load(GITHUB.joinpath(*place).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    return load("workflows", "ci.yml")


@pytest.fixture(scope="module")
def publishing() -> dict[str, Any]:
    return load("workflows", "publish.yml")


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def systems(job: dict[str, Any]) -> list[str]:
    return [job["runs-on"]] if job["runs-on"] in SYSTEMS else job["strategy"]["matrix"]["system"]


def test_it_runs_for_changes_with_no_more_rights_than_reading(workflow):
    assert set(workflow[True]) == {"push", "pull_request"}  # YAML 1.1 takes the key `on` for true
    assert workflow["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("name", ["ci.yml", "publish.yml"])
def test_each_step_does_one_thing_that_github_knows(name):
    for job in load("workflows", name)["jobs"].values():
        assert {"runs-on", "timeout-minutes", "steps"} <= set(job)
        for step in job["steps"]:
            assert set(step) <= STEP_KEYS
            assert ("uses" in step) != ("run" in step)


def test_every_system_runs_every_python_from_the_oldest_on(workflow):
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "requires-python"
    ]
    assert oldest == f">={PYTHONS[0]}"
    found = {
        system: job["strategy"]["matrix"]["python"]
        for job in workflow["jobs"].values()
        for system in systems(job)
    }
    assert found == dict.fromkeys(SYSTEMS, PYTHONS)


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
    tests = " ".join(commands(workflow["jobs"]["desktop"]))
    assert not re.search(r"tests/(?:browser|host|web|bench)", tests)


def test_nothing_is_published_before_ci_has_passed_on_that_commit(publishing):
    assert publishing[True] == {"push": {"tags": ["v*"]}}
    assert publishing["permissions"] == {"contents": "read", "actions": "read"}
    (job,) = publishing["jobs"].values()
    checked, named, audited, published = job["steps"][1:]
    assert all(
        part in checked["run"]
        for part in ("ci.yml", "--branch main", '--commit "$GITHUB_SHA"', "--status success")
    )
    assert "pyproject.toml" in named["run"]
    assert "pip-audit" in audited["run"]
    assert all(word in audited["run"] for word in ("locks/requirements.txt", "locks/embedder.txt"))
    assert published["uses"].startswith("Comfy-Org/publish-node-action@")
    assert all("if" not in step for step in job["steps"])


@pytest.mark.parametrize("name", FORMS)
def test_an_issue_form_is_one_that_github_reads(name):
    form = load("ISSUE_TEMPLATE", name)
    assert set(form) == {"name", "description", "labels", "body"}
    asked = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in form["body"]} <= FIELDS
    assert len({field["id"] for field in asked}) == len(asked) > 0
    assert all(field["attributes"]["label"] for field in asked)
    assert any(field.get("validations", {}).get("required") for field in asked)


def test_there_are_forms_for_a_bug_a_model_and_an_idea():
    assert FORMS == ["bug.yml", "feature.yml", "not-understood.yml"]


def test_the_hooks_run_what_ci_runs():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    entries = [hook["entry"] for repository in config["repos"] for hook in repository["hooks"]]
    assert len(entries) == 3
    for command in ("-m ruff check", "-m ruff format", "-P -m mypy -p personalq"):
        assert command in checks
        assert any(command in entry for entry in entries)
