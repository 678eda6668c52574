"""Test the recipes of CONTRIBUTING.md: on a copy of the package, their programs succeed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from personalq.comfyui_folder import find_comfyui

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = (
    "A new metadata reader",
    "A new attention quantizer",
    "A new weight layout",
    "A new backend",
    "A new LLM protocol",
    "A new English word",
    "A new language",
    "A new node",
    "A new model family",
)
IN_COMFYUI = frozenset({"A new node"})
"""Sections whose program runs with ComfyUI on the path."""
LEFT_OUT = ("tests/", "docs/", "bench/results/", "demo/world/models/")
TRY_IT = "# Try it"
SECONDS = 120

# A GPU is not needed, and the copy of the package is the one that is used.
ON_CPU = "import comfy.cli_args\ncomfy.cli_args.args.cpu = True\n"
IN_COPY = (
    "import pathlib, personalq\n"
    "used, copy = pathlib.Path(personalq.__file__), pathlib.Path(__file__).with_name('personalq')\n"
    "assert used.parent == copy, used\n"
)


@dataclass(frozen=True)
class Recipe:
    """The code blocks of one section."""

    files: dict[str, str]
    """Path -> content of a new file."""
    edits: dict[str, str]
    """Path -> lines " context", "+added" and "-removed"."""
    program: str | None


def read_recipe(markdown: str, section: str) -> Recipe:
    """The recipe under the heading `## section`. Raises KeyError where there is none."""
    sections = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n?)*)", markdown, re.MULTILINE))
    blocks = re.findall(
        r"^```(python|yaml|diff)\n(.*?)\n(.*?)^```$", sections[section], re.MULTILINE | re.DOTALL
    )
    written = [(first, body) for kind, first, body in blocks if kind != "diff"]
    files = {first.removeprefix("# "): body for first, body in written if first != TRY_IT}
    edits = {first.removeprefix("--- "): body for kind, first, body in blocks if kind == "diff"}
    programs = [body for first, body in written if first == TRY_IT]
    assert max(len(programs), len(edits)) <= 1, f"{section}: at most one program and one diff"
    return Recipe(files, edits, programs[0] if programs else None)


def edited(text: str, edit: str) -> str:
    """`text` with `edit` in it. Raises ValueError for a line that does not occur exactly once."""
    lines = text.splitlines()
    at = 0
    for line in edit.splitlines():
        sign, content = line[:1], line[1:]
        if sign == "+":
            lines.insert(at, content)
            at += 1
            continue
        if lines.count(content) != 1:
            raise ValueError(f"{content!r} occurs {lines.count(content)} times")
        at = lines.index(content)
        if sign == "-":
            del lines[at]
        else:
            at += 1
    return "\n".join([*lines, ""])


def copy_package(folder: Path) -> None:
    """Copies the files under version control, without tests and large data."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.decode().split("\0"):
        if name and not name.startswith(LEFT_OUT) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


@pytest.fixture(scope="module")
def markdown() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_has_a_program(markdown: str, section: str) -> None:
    recipe = read_recipe(markdown, section)
    assert recipe.program
    assert recipe.files or recipe.edits


@pytest.mark.parametrize("section", SECTIONS)
def test_the_recipe_works(markdown: str, section: str, tmp_path: Path) -> None:
    recipe = read_recipe(markdown, section)
    assert recipe.program is not None
    paths, prelude = [tmp_path], IN_COPY
    if section in IN_COMFYUI:
        comfyui = find_comfyui()
        if comfyui is None:
            pytest.skip("no ComfyUI here (set COMFYUI_PATH)")
        paths, prelude = [tmp_path, comfyui], ON_CPU + IN_COPY
    package = tmp_path / "personalq"
    copy_package(package)
    for name, content in recipe.files.items():
        assert not (package / name).exists(), f"{name} is there already"
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(content, encoding="utf-8")
    for name, edit in recipe.edits.items():
        text = (package / name).read_text(encoding="utf-8")
        (package / name).write_text(edited(text, edit), encoding="utf-8")
    program = tmp_path / "try_it.py"
    program.write_text(prelude + recipe.program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-P", str(program)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_recipe_is_read_block_by_block() -> None:
    text = "## A\nWords.\n```python\n# a/b.py\nx = 1\n```\n```diff\n--- c.py\n one\n+two\n```\n"
    text += "```python\n# Try it\nassert True\n```\n## B\nNothing.\n"
    assert read_recipe(text, "A") == Recipe(
        {"a/b.py": "x = 1\n"}, {"c.py": " one\n+two\n"}, "assert True\n"
    )
    assert read_recipe(text, "B") == Recipe({}, {}, None)


def test_an_edit_inserts_after_its_context_and_replaces_what_it_removes() -> None:
    assert edited("a\nb\nc\n", " a\n+x\n-c\n+y\n") == "a\nx\nb\ny\n"
    with pytest.raises(ValueError, match="occurs 2 times"):
        edited("a\na\n", " a\n+x\n")
