"""Test the package as a whole.

What importing it costs, what it ships, and that it holds nothing of one machine.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from personalq.cli.bench import CLONE_OF_ALL

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TEXT_ENDINGS = (
    ".py",
    ".md",
    ".json",
    ".js",
    ".css",
    ".toml",
    ".txt",
    ".yaml",
    ".comfyignore",
    ".gitignore",
    "/run",
)

PATHS = re.compile(
    r"(?<![\w.])/(?:home|Users|root|work|mnt|opt|tmp)/\w|\b[A-Z]:\\\\?(?:Users|ComfyUI)\b"
)
KEYS = re.compile(
    r"\b(?:sk-[A-Za-z0-9]{20}|AIza[\w-]{30}|gh[pousr]_[A-Za-z0-9]{30}|hf_[A-Za-z0-9]{30}|AKIA[A-Z0-9]{16})"
)


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """Names of the files under version control."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [name for name in listed.stdout.decode().split("\0") if (ROOT / name).is_file()]


def _import_personalq(then: str) -> str:
    """What a fresh interpreter prints after `import personalq`."""
    code = f"import sys, time; started = time.process_time(); import personalq; {then}"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_import_is_quick() -> None:
    seconds = min(
        float(_import_personalq("print(time.process_time() - started)")) for _ in range(3)
    )
    assert seconds < 0.3


def test_import_brings_no_library() -> None:
    loaded = _import_personalq("print(*sys.modules, sep='\\n')").split()
    assert "personalq" in loaded
    assert not {"torch", "numpy", "yaml", "comfy", "server"} & set(loaded)


def test_check_in_imports_neither_torch_nor_the_embedder() -> None:
    loaded = _import_personalq("import personalq.checkin; print(*sys.modules, sep='\\n')").split()
    assert "personalq.checkin" in loaded
    assert not {"torch", "sentence_transformers", "comfy"} & set(loaded)


def test_requirements_are_the_same_in_both_places() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == PROJECT["project"][
        "dependencies"
    ]


def test_registry_fields() -> None:
    comfy = PROJECT["tool"]["comfy"]
    assert comfy["requires-comfyui"] == ">=0.33.0"
    assert comfy["PublisherId"]
    assert comfy["DisplayName"]
    assert {"Icon", "Banner"} <= set(comfy)
    assert PROJECT["project"]["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_every_address_is_the_publishers_repository() -> None:
    home = (
        f"https://github.com/{PROJECT['tool']['comfy']['PublisherId']}/{PROJECT['project']['name']}"
    )
    urls = PROJECT["project"]["urls"]
    assert set(urls) == {"Repository", "Documentation", "Bug Tracker"}
    assert urls["Repository"] == home
    assert all(url.startswith(home) for url in urls.values())
    assert home in CLONE_OF_ALL


def test_no_accelerator_is_named() -> None:
    """ComfyUI's manager compares "GPU :: NVIDIA CUDA" with "CUDA", and warns everybody of a
    conflict.
    """
    classifiers = PROJECT["project"]["classifiers"]
    assert "Operating System :: OS Independent" in classifiers
    assert not [name for name in classifiers if name.startswith("Environment ::")]


@pytest.mark.parametrize("pattern", [PATHS, KEYS], ids=["machine path", "key"])
def test_no_file_carries(pattern: re.Pattern[str], tracked: list[str]) -> None:
    found = []
    for name in tracked:
        if name.endswith(TEXT_ENDINGS) and not name.startswith(
            "tests/"
        ):  # tests hold samples of what they look for
            text = (ROOT / name).read_text(encoding="utf-8")
            found += [f"{name}: {match[0]}" for match in pattern.finditer(text)]
    assert not found


POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}
POSIX_CALLS = set(
    "chown fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getuid "
    "kill killpg lchown link mkfifo mknod nice pread preadv pwrite rename sched_getaffinity setsid "
    "statvfs symlink sync sysconf uname".split()
)
"""Of `os`: not on Windows, needing special rights there, or of another meaning (`rename` over a
file).
"""


def _posix_only(source: str) -> Iterator[str]:
    for node in _met_anywhere(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [node.module]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
            )
            yield from (name for name in names if name in POSIX_MODULES)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = f"{node.value.id}.{node.attr}"
            if (node.value.id == "os" and node.attr in POSIX_CALLS) or called in (
                "signal.SIGKILL",
                "time.tzset",
            ):
                yield called


def _met_anywhere(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a program, without those that say that they are for POSIX."""
    for child in ast.iter_child_nodes(node):
        yield child
        if isinstance(child, ast.If) and ast.unparse(child.test) == "os.name == 'posix'":
            for other in child.orelse:
                yield other
                yield from _met_anywhere(other)
        else:
            yield from _met_anywhere(child)


def test_no_user_meets_a_call_that_only_posix_has(tracked: list[str]) -> None:
    shipped = [
        name
        for name in tracked
        if name.endswith(".py") and not name.startswith(("tests/", "bench/", "demo/"))
    ]
    found = [
        f"{name}: {call}"
        for name in shipped
        for call in _posix_only((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert not found


def test_calls_that_only_posix_has_are_found() -> None:
    assert list(_posix_only("import os, fcntl\nos.fork()\nos.replace(a, b)\nsignal.SIGKILL")) == [
        "fcntl",
        "os.fork",
        "signal.SIGKILL",
    ]
    guarded = "import os\nif os.name == 'posix':\n    os.fork()\nelse:\n    os.getuid()"
    assert list(_posix_only(guarded)) == ["os.getuid"]


def test_the_patterns_find_what_they_are_for() -> None:
    assert PATHS.search('"/home/anna/models"')
    assert PATHS.search(r"C:\Users\anna")
    assert KEYS.search("sk-" + "a1" * 12)
    assert not PATHS.search("https://example.org/home/page")
    assert not KEYS.search("sk-learn")
