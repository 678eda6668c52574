"""Makes small real videos, by PyAV."""

from __future__ import annotations

from pathlib import Path

import av
from PIL import Image

_CODECS = {".mp4": "mpeg4", ".webm": "libvpx"}


def make_video(place: Path, *colours: str, size: tuple[int, int] = (64, 64)) -> Path:
    """A video of some frames in each colour; its ending says which kind. Returns its place."""
    with av.open(str(place), "w") as video:
        stream = video.add_stream(_CODECS[place.suffix], rate=8)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        for colour in colours:
            for _ in range(4):
                frame = av.VideoFrame.from_image(Image.new("RGB", size, colour))
                video.mux(stream.encode(frame))
        video.mux(stream.encode())
    return place
