"""Make the archive of ComfyUI's registry as its command line tool does.

Also build its wheel and install it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from personalq.ray_cluster import link_folder

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


class NoCheckout(RuntimeError):
    """The sources are not under version control here, so nobody can say what is tracked."""


def archived() -> list[str]:
    """Names, with "/", of the files that the registry gets: those under version control less
    `.comfyignore`'s.
    """
    tracked = _git("ls-files", "-z")
    left_out = set(_git("ls-files", "-z", "--cached", "--ignored", "--exclude-from=.comfyignore"))
    return sorted(name for name in tracked if name not in left_out and (ROOT / name).is_file())


def make_archive(folder: Path) -> Path:
    """The files of the archive, copied into `folder`."""
    for name in archived():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, place)
    return folder


def build_wheel(sources: Path, folder: Path) -> Path:
    """The wheel of `sources`, which are not written into. Nothing is downloaded."""
    copy = shutil.copytree(sources, folder / "sources")
    pip = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check"]
    run(
        [
            *pip,
            "wheel",
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
            "--wheel-dir",
            folder,
            copy,
        ]
    )
    return next(folder.glob("*.whl"))


def install(wheel: Path, folder: Path) -> Path:
    """A virtual environment with the wheel and what `[project.dependencies]` names, and nothing
    more.

    The dependencies are links to those of this interpreter. Returns the folder of the environment's
    programs.
    """
    run([sys.executable, "-P", "-m", "venv", "--without-pip", folder])
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    pip = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--python", folder]
    run([*pip, "install", "--no-deps", "--no-index", wheel])
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    libraries = Path(run([python, "-c", where]).stdout.strip())
    for requirement in PROJECT["project"]["dependencies"]:
        _link(re.split(r"[<>=~!\[; ]", requirement)[0], libraries)
    return programs


def run(command: list[object], **others) -> subprocess.CompletedProcess[str]:
    """A finished process that knows nothing of this one's packages; fails with all it said unless
    it ended with 0.
    """
    done = start(command, **others)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done


def start(command: list[object], **others) -> subprocess.CompletedProcess[str]:
    """A finished process that knows nothing of this one's packages."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME")
    }
    environment = inherited | {"PYTHONUTF8": "1"}
    return subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env=environment,
        check=False,
        **others,
    )


def _link(name: str, libraries: Path) -> None:
    """Put an installed distribution into another folder of libraries."""
    installed = distribution(name)
    tops = {
        file.parts[0]
        for file in installed.files or ()
        if file.parts[0] not in ("..", "__pycache__")
    }
    for top in tops:
        source, place = Path(str(installed.locate_file(top))), libraries / top
        if source.is_dir():
            link_folder(source.resolve(), place)
        else:
            shutil.copyfile(source, place)


def _git(*arguments: str) -> list[str]:
    listed = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        raise NoCheckout(listed.stderr.decode(errors="replace"))
    return [name for name in listed.stdout.decode().split("\0") if name]
