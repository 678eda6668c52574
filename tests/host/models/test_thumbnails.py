"""Test thumbnails of previews: files, pictures in a model's header, and files that are none."""

from __future__ import annotations

import base64
import io
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="ComfyUI is not on this machine")

import folder_paths
from PIL import Image

from personalq.nodes.host.models.thumbnails import SIZE, thumbnail
from personalq.tests.checkin import make_files as make
from personalq.tests.video import make_video


@pytest.fixture(autouse=True)
def temp_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_paths, "temp_directory", str(tmp_path / "temp"))


def picture(kind: str, size: int = 600) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (size, 2 * size), "red").save(stream, kind)
    return stream.getvalue()


def size_of(shown: dict[str, str] | None) -> tuple[int, int]:
    assert shown is not None
    with Image.open(os.path.join(folder_paths.get_temp_directory(), shown["filename"])) as small:
        return small.size


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp", "gif", "avif"])
def test_picture_file(tmp_path: Path, kind: str) -> None:
    place = tmp_path / f"bear.{kind}"
    place.write_bytes(picture(kind))
    assert size_of(thumbnail(str(place))) == (SIZE // 2, SIZE)


@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_the_first_frame_of_a_video(tmp_path: Path, ending: str) -> None:
    place = make_video(tmp_path / f"bear.{ending}", "red", "blue", size=(120, 240))
    shown = thumbnail(str(place))
    assert size_of(shown) == (120, 240)
    assert shown is not None
    with Image.open(os.path.join(folder_paths.get_temp_directory(), shown["filename"])) as small:
        red, _, blue = small.convert("RGB").getpixel((60, 120))
    assert red > 200 > 60 > blue


@pytest.mark.parametrize(
    "content",
    [b"", b"no video", picture("png"), b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n"],
)
@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_what_is_no_video_costs_only_the_picture(tmp_path: Path, ending, content: bytes) -> None:
    place = tmp_path / f"bear.{ending}"
    place.write_bytes(content)
    assert thumbnail(str(place)) is None


def test_a_video_that_ends_too_early_costs_at_most_the_picture(tmp_path: Path) -> None:
    whole = make_video(tmp_path / "whole.mp4", "red").read_bytes()
    for at in range(0, len(whole), 97):
        place = tmp_path / f"part{at}.mp4"
        place.write_bytes(whole[:at])
        thumbnail(str(place))


def test_picture_in_the_header(tmp_path: Path) -> None:
    url = "data:image/jpeg;base64," + base64.b64encode(picture("jpeg")).decode()
    model = make.make_lora(tmp_path / "bear.safetensors", metadata={"modelspec.thumbnail": url})
    assert size_of(thumbnail(f"{model}#modelspec.thumbnail")) == (SIZE // 2, SIZE)
    assert thumbnail(f"{model}#ssmd_cover_images") is None


@pytest.mark.parametrize(
    "content", [b"", b"no picture", picture("png")[:200], b"GIF89a" + b"\xff" * 50]
)
def test_what_is_no_picture_costs_only_the_picture(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "bear.png"
    place.write_bytes(content)
    assert thumbnail(str(place)) is None


def test_a_damaged_byte_costs_at_most_the_picture(tmp_path: Path) -> None:
    whole, place = picture("avif", 16), tmp_path / "bear.avif"
    for at in range(0, len(whole), 3):
        place.unlink(missing_ok=True)
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        os.utime(place, (at, at))
        thumbnail(str(place))


def test_picture_that_would_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    place = tmp_path / "bear.png"
    place.write_bytes(picture("png"))
    assert thumbnail(str(place)) is None


def test_no_preview() -> None:
    assert thumbnail(None) is None
    assert thumbnail("") is None
    assert thumbnail("/gone/bear.png") is None


def test_nobody_sees_a_picture_that_is_half_written(tmp_path: Path) -> None:
    place = tmp_path / "bear.png"
    place.write_bytes(picture("png", size=2000))
    with ThreadPoolExecutor(8) as threads:
        sizes = list(threads.map(lambda _: size_of(thumbnail(str(place))), range(32)))
    assert set(sizes) == {(SIZE // 2, SIZE)}
    assert len(os.listdir(folder_paths.get_temp_directory())) == 1


def test_a_picture_that_another_thread_made_and_a_page_is_reading_is_shown(tmp_path, monkeypatch):
    place = tmp_path / "bear.png"
    place.write_bytes(picture("png", size=300))

    def held(part, target):
        """On Windows a file that is open is not replaced."""
        Path(target).write_bytes(Path(part).read_bytes())
        raise PermissionError(13, "The process cannot access the file")

    monkeypatch.setattr(os, "replace", held)
    assert size_of(thumbnail(str(place))) == (SIZE // 2, SIZE)
