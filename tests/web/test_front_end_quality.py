"""Check the files in web/: types by TypeScript, unit tests by node, and forbidden code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
WEB = HERE.parents[1] / "web"
SCRIPTS = sorted(WEB.rglob("*.js"))
HOST_SCRIPTS = {"../../scripts/app.js", "../../scripts/api.js"}
MAX_BYTES = 90 * 1024
"""Bytes of code in all scripts together; comments, which state the types, are a quarter more and
are not counted.
"""

IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']""")
MARKUP = re.compile(
    r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write(?:ln)?|createContextualFragment|srcdoc|eval|Function)\b"
    r"|\bset(?:Timeout|Interval)\(\s*[\"'`]|\.setAttribute\(\s*[\"']on"
)
WORD_THAT_MAY_STAND = re.compile(r"^\s*(?://|\*|/\*)")


@pytest.fixture(scope="module")
def packages() -> None:
    """The locked packages, installed once for this lock file.

    Skips where there is no node, npm, or registry.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    installed = HERE / "node_modules" / ".package-lock.json"
    if (
        installed.is_file()
        and installed.stat().st_mtime >= (HERE / "package-lock.json").stat().st_mtime
    ):
        return
    done = run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", seconds=300)
    if done.returncode:
        pytest.skip("npm cannot install the packages of tests/web (no network?)")
    installed.touch()


def run(*command: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    """Runs a program in this folder."""
    program = (
        shutil.which(command[0]) or command[0]
    )  # on Windows npm is a .cmd, which needs its full name
    return subprocess.run(
        [program, *command[1:]],
        cwd=HERE,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds,
    )


def test_types_hold_against_the_types_that_the_host_publishes(packages):
    done = run("npm", "run", "--silent", "types")
    assert done.returncode == 0, done.stdout


def test_a_wrong_type_would_be_found(packages, tmp_path):
    (tmp_path / "wrong.js").write_text(
        'import { app } from "../../scripts/app.js";\napp.queuePromt(0, 1);\n/** @param {number} n '
        '*/\nconst half = (n) => n / 2;\nhalf("2");\n',
        encoding="utf-8",
    )
    own = {
        "extends": str(HERE / "tsconfig.json"),
        "include": [str(tmp_path / "wrong.js"), str(HERE / "host.d.ts")],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(own), encoding="utf-8")
    done = run("npm", "run", "--silent", "types", "--", "-p", str(tmp_path))
    assert re.findall(r"error (TS\d+)", done.stdout) == ["TS2551", "TS2345"], done.stdout


def test_logic_holds_in_node(packages):
    done = run("npm", "test", "--silent")
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed
    assert int(passed[1]) >= len(list(HERE.glob("*.test.js")))


def test_the_lock_file_names_no_registry():
    packages = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert all("integrity" in package for name, package in packages.items() if name)


def imports_of(script: Path) -> Sequence[str]:
    """What a script imports, as it is written there; not what a comment takes types from."""
    lines = script.read_text(encoding="utf-8").splitlines()
    return IMPORT.findall("\n".join(one for one in lines if not WORD_THAT_MAY_STAND.match(one)))


def test_only_two_scripts_of_the_host_are_imported():
    """The host keeps these two; of all others it warns that they will go."""
    from_outside = {
        name for script in SCRIPTS for name in imports_of(script) if not name.startswith("./")
    }
    assert from_outside == HOST_SCRIPTS


def test_every_imported_file_of_our_own_is_there():
    own = [
        (script, name) for script in SCRIPTS for name in imports_of(script) if name.startswith("./")
    ]
    assert own
    assert not [
        f"{script.name}: {name}" for script, name in own if not (script.parent / name).is_file()
    ]


def test_scripts_are_small(packages, tmp_path):
    run(
        "npm",
        "run",
        "--silent",
        "types",
        "--",
        "--noEmit",
        "false",
        "--removeComments",
        "--outDir",
        str(tmp_path),
    )
    code = {file.name: _bytes(file) for file in tmp_path.rglob("*.js")}
    assert set(code) == {script.name for script in SCRIPTS}
    assert sum(code.values()) < MAX_BYTES


def _bytes(compiled: Path) -> int:
    """The bytes of a compiled script, indented as it was written: by two spaces, not by four."""
    lines = compiled.read_text(encoding="utf-8").splitlines(keepends=True)
    return sum(len(one.encode()) - (len(one) - len(one.lstrip(" "))) // 2 for one in lines)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_no_text_becomes_markup_or_code(script):
    lines = script.read_text(encoding="utf-8").splitlines()
    found = [
        line.strip()
        for line in lines
        if not WORD_THAT_MAY_STAND.match(line) and MARKUP.search(line)
    ]
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        "a.innerHTML = b;",
        "x.insertAdjacentHTML('end', y)",
        "document.write(z)",
        "eval(s)",
        "setTimeout('go()', 1)",
    ],
)
def test_markup_and_code_would_be_found(line):
    assert MARKUP.search(line)


def test_nothing_but_our_scripts_lies_where_the_host_loads_scripts():
    """The host loads every .js below web/ into every page, and serves all other files there to
    everybody.
    """
    assert {file.suffix for file in WEB.rglob("*") if file.is_file()} <= {
        ".js",
        ".css",
        ".md",
        ".jpg",
        ".png",
        ".webp",
    }
    assert not list(WEB.rglob("package*.json"))
    assert not list(WEB.rglob("node_modules"))
