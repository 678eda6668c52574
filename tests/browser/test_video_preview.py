"""Test that a video beside a model is shown as its preview, on the node and in the models tab.

In both renderers.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("av", reason="PyAV is not installed")

from playwright.sync_api import expect
from safetensors.torch import load_file, save_file

from personalq.checkin.index.sidecar_file import write_sidecar
from personalq.tests.video import make_video

COLOUR = """(img) => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    const context = canvas.getContext("2d");
    context.drawImage(img, 0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


@pytest.fixture
def newt(demo_repository: Path) -> Iterator[str]:
    """A LoRA whose only preview is a video, red first and then blue."""
    folder = demo_repository / "loras" / "newt"
    folder.mkdir()
    bear = next((demo_repository / "loras").rglob("bear_realistic_v4.safetensors"))
    model = folder / "newt_v1.safetensors"
    save_file({name: 2 * tensor for name, tensor in load_file(bear).items()}, model)
    write_sidecar(model, {"subjects": ["newt"], "triggers": ["<newt>"], "base": "demo_base"})
    make_video(folder / "newt_v1.mp4", "red", "blue")
    yield "newt_v1"
    shutil.rmtree(folder)


def shows_red(editor, picture) -> bool:
    """Whether a picture on the page is there, and is the first frame."""
    picture.wait_for(state="attached")
    handle = picture.element_handle()
    editor.page.wait_for_function("(img) => img.complete && img.naturalWidth > 0", arg=handle)
    red, green, blue = editor.page.evaluate(COLOUR, handle)
    return red > 200 > 60 > max(green, blue)


def test_the_first_frame_is_on_the_node_and_in_the_models_tab(editor, newt):
    editor.set_value("PersonalQCheckIn", "request", "my newt on grass")
    editor.run()
    shown = editor.page.locator(".personalq-decision .personalq-model")
    assert newt in shown.locator(".personalq-label").inner_text()
    assert shows_red(editor, shown.locator("img"))

    editor.open_library()
    library = editor.page.locator(".personalq-library")
    library.get_by_label("Search all models").fill(newt)
    expect(library.locator(".personalq-open .personalq-label")).to_have_text([newt])
    assert shows_red(editor, library.locator(".personalq-open img"))
