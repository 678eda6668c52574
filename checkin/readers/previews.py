"""The pictures of a model that lie beside it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from .model_file import Report

PICTURES = ("png", "jpg", "jpeg", "webp")
ENDINGS = tuple(f"{mark}.{picture}" for mark in (".preview", "", ".thumb", ".example.0") for picture in PICTURES)
"""What follows a model's name, without its ending, in the name of a preview; best first."""


def named_previews(folder: Path, names: object, report: Report) -> list[str]:
    """Paths of the pictures that a sidecar in `folder` names.

    They must lie in the folder or below: a downloaded sidecar must not make us show any picture of the machine.
    """
    kept = []
    for name in map(str, names if isinstance(names, list) else [names]):
        inside = PurePosixPath(name.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts or ":" in name:
            report(f"preview {name!r} not used: name a picture in the model's folder or below")
        elif not (folder / inside).is_file():
            report(f"preview {name!r} is not there")
        else:
            kept.append(str(folder / inside))
    return kept
