"""Small copies of previews in ComfyUI's temp folder, where the front end can read them.

Of a video, that of its first frame.
"""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path

import folder_paths
from PIL import Image

from ....atomic_write import FileInUse, write_whole
from ....checkin.readers.pictures import opened, reduced
from ....checkin.readers.previews import is_video, picture_in_header
from .video_frame import first_frame

SIZE, LARGE = 256, 768
"""Longest side in pixels, in a list and alone."""


def thumbnail(preview: str | None, size: int = SIZE) -> dict[str, str] | None:
    """{filename, subfolder, type} of a small copy of a card's preview, for ComfyUI's /view.

    None if the card has no preview that can be read.
    """
    if preview is None:
        return None
    in_header = not os.path.isfile(preview)
    path = preview.rpartition("#")[0] if in_header else preview
    if not os.path.isfile(path):
        return None
    stat = os.stat(path)
    said = f"{preview}|{stat.st_mtime_ns}|{stat.st_size}|{size}"
    digest = hashlib.sha256(said.encode()).hexdigest()[:16]
    name = f"personalq_{digest}.webp"
    target = os.path.join(folder_paths.get_temp_directory(), name)
    if not os.path.isfile(target):
        try:
            small = io.BytesIO()
            _small(preview, in_header, size).save(small, "WEBP")
            # In one step, because another thread may be reading the file.
            write_whole(Path(target), small.getvalue())
        except FileInUse:
            if not os.path.isfile(target):  # otherwise another thread made it and a page reads it
                return None
        # Decoders raise all kinds of errors for broken or huge pictures; then there is no picture.
        except Exception:
            return None
    return {"filename": name, "subfolder": "", "type": "temp"}


def _small(preview: str, in_header: bool, size: int) -> Image.Image:
    """A small copy of a picture, or of the first frame of a video."""
    if not in_header and is_video(preview):
        return reduced(first_frame(preview), size)
    source = io.BytesIO(picture_in_header(preview) or b"") if in_header else preview
    with opened(source) as picture:
        return reduced(picture, size)
