"""The first frame of a video preview, by PyAV, which the host requires."""

from __future__ import annotations

from pathlib import PurePath

import av
from PIL import Image

_FORMATS = {".mp4": "mp4", ".webm": "webm"}
"""Ending -> container. With it named, FFmpeg opens no playlist, which could name an address."""
_MAX_PIXELS = 16_000_000


def first_frame(path: str) -> Image.Image:
    """The first frame of a video file.

    Raises ValueError for a video without frames or with too large ones, and FFmpeg's errors, which
    are subclasses of OSError and ValueError, for what is no video.
    """
    with av.open(path, format=_FORMATS[PurePath(path).suffix.casefold()]) as video:
        stream = next(iter(video.streams.video), None)
        if stream is None or stream.width * stream.height > _MAX_PIXELS:
            raise ValueError("no video stream, or one that is too large")
        for frame in video.decode(stream):
            return frame.to_image()
    raise ValueError("no frame")
