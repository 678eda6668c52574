"""How a table was measured: machine, versions, and digests of code and models."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Collection, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

from ...demo.world import library
from ..machine import device_name

_ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "bench/baselines",
    "bench/evidence",
    "bench/world",
    "demo/catalogue.py",
    "demo/token_marks.py",
    "demo/world",
    "taq_kernels",
)
"""Folders and files of the code that measures. The rest of the demo draws through ComfyUI."""
_PACKAGES = ("torch", "diffusers", "transformers", "numpy")


def about() -> dict[str, object]:
    """Return machine, threads, versions, and a digest of the code that measures."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return {
        "machine": device_name(device),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        **{name: _version(name) for name in _PACKAGES},
        "code": code_digest(),
    }


def code_digest() -> str:
    """Return a digest of the code that measures, independent of version control."""
    named = (_ROOT / source for source in SOURCES)
    paths = sorted(
        path for one in named for path in ([one] if one.is_file() else one.rglob("*.py"))
    )
    return _digest((path.relative_to(_ROOT).as_posix(), path) for path in paths)


def models_digest(personalised: Collection[str]) -> str:
    """Return a digest of the miniature world's base, its judge, and the named models.

    It depends on the names and bytes of their files, not on the folder that holds them.
    """
    others = {model.name for model in library.models()} - set(personalised)
    paths = sorted(file for file in library.FOLDER.glob("*.xz") if file.stem not in others)
    return _digest((path.name, path) for path in paths)


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    """Return twelve hex digits of the SHA-256 of each file's name and bytes, in the given order."""
    digest = hashlib.sha256()
    for name, path in files:
        digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
