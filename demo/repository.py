"""Write the demo repository into a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..atomic_write import written_whole
from .cards_out import BASE_METADATA, metadata_of, preview_ending, sampling_sidecar, sidecars_of
from .catalogue import BASE_PATH, MODELS, DemoModel
from .previews import draw
from .safetensors_out import write_safetensors
from .weights import Tensors, base_checkpoint, lora, personalised_checkpoint

STAMP = "personalq-demo.txt"
"""The file that says which version of this program wrote the folder."""


@dataclass(frozen=True)
class DemoResult:
    """What `make_demo` did."""

    folder: Path
    models: int
    """Number of personalised models; the base checkpoint is one more file."""
    written: int
    """Number of files written by this call."""
    bytes: int
    """Size of the whole repository."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return {
            "folder": str(self.folder),
            "models": self.models,
            "written": self.written,
            "bytes": self.bytes,
        }


def make_demo(folder: Path) -> DemoResult:
    """Write the base checkpoint, the personalised models, their cards and pictures into `folder`.

    Every run gives the same bytes. Files are written whole or not at all, so an existing file is
    complete and is left unchanged, unless another version of this program wrote the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stamp, release = folder / STAMP, _release()
    outdated = stamp.exists() and stamp.read_text(encoding="utf-8") != release
    if not outdated:
        stamp.write_text(release, encoding="utf-8")
    made = _Writer(folder, rewrite=outdated)
    base = cache(base_checkpoint)
    made.file(BASE_PATH, lambda path: write_safetensors(path, base(), BASE_METADATA))
    for ending, text in sampling_sidecar().items():
        made.file(_stem(BASE_PATH) + ending, partial(_write_text, text))
    for model in MODELS:
        _write_model(made, model, base)
    stamp.write_text(release, encoding="utf-8")
    return DemoResult(folder, len(MODELS), made.written, made.bytes)


class _Writer:
    """Writes the missing files, or all with `rewrite`; counts files and bytes."""

    def __init__(self, folder: Path, *, rewrite: bool):
        self.folder, self.rewrite = folder, rewrite
        self.written = self.bytes = 0

    def file(self, name: str, write: Callable[[Path], None]) -> None:
        path = self.folder / name
        if self.rewrite or not path.exists():
            with written_whole(path) as part:
                write(part)
            self.written += 1
        self.bytes += path.stat().st_size


def _write_model(made: _Writer, model: DemoModel, base: Callable[[], Tensors]) -> None:
    def weights(path: Path) -> None:
        tensors = lora(model) if model.is_lora else personalised_checkpoint(model, base())
        write_safetensors(path, tensors, metadata_of(model))

    def sidecar(ending: str, path: Path) -> None:
        with (made.folder / model.path).open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        _write_text(sidecars_of(model, sha256)[ending], path)

    stem = _stem(model.path)
    made.file(model.path, weights)
    made.file(stem + preview_ending(model), lambda path: draw(model).save(path, "PNG"))
    for ending in sidecars_of(model, sha256=""):
        made.file(stem + ending, partial(sidecar, ending))


def _stem(path: str) -> str:
    return path.removesuffix(".safetensors")


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _release() -> str:
    """Hash the programs and stored models that decide what the files contain."""
    room = Path(__file__).parent
    world = room / "world"
    names = ("cards_out", "catalogue", "previews", "repository", "safetensors_out", "weights")
    sources = [room / f"{name}.py" for name in names]
    sources += [*sorted(world.glob("*.py")), *sorted(world.glob("models/*"))]
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
