"""Small copies of preview pictures in ComfyUI's temp folder, where the front end may read them."""

from __future__ import annotations

import hashlib
import os

import folder_paths
from PIL import Image

SIZE = 256
"""Longest side in pixels."""


def thumbnail(path: str | None) -> dict[str, str] | None:
    """{filename, subfolder, type} for ComfyUI's /view of a thumbnail of the picture; None without a readable one."""
    if path is None or not os.path.isfile(path):
        return None
    stat = os.stat(path)
    digest = hashlib.sha256(f"{path}|{stat.st_mtime_ns}|{stat.st_size}".encode()).hexdigest()[:16]
    name = f"personalq_{digest}.webp"
    target = os.path.join(folder_paths.get_temp_directory(), name)
    if not os.path.isfile(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            with Image.open(path) as picture:
                picture.thumbnail((SIZE, SIZE))
                picture.convert("RGB").save(target)
        except OSError:  # not a picture, or a broken one: the choice is shown without it
            return None
    return {"filename": name, "subfolder": "", "type": "temp"}
