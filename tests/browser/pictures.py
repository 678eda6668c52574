"""Takes the pictures that the project shows: `python -P -m personalq.tests.browser.pictures
COMFYUI`.

Writes what it draws beside each workflow template and, for docs/nodes.md, docs/canvas.jpg, the
canvas with an open question, and docs/answered.jpg, the same after a click on an answer, with what
the model drew.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from personalq.demo.host_process import HostProcess
from personalq.demo.repository import make_demo
from personalq.tests.browser.page import (
    BROWSER_ARGUMENTS,
    WORKFLOWS,
    Editor,
    installed_browser,
    load_template,
)

Box = tuple[int, int, int, int]
ROOT = WORKFLOWS.parent
THUMBNAIL = 384
"""Side of a template's picture in pixels."""
GRAPH = (75, 100, 1045, 828)
"""Where the graph is on the page: left, top, right, bottom."""


def main(comfyui: Path) -> None:
    """Runs each template on the demo repository and photographs the canvas."""
    demo = make_demo(ROOT / "out" / "demo").folder
    with (
        tempfile.TemporaryDirectory() as base,
        HostProcess(comfyui, demo, Path(base)) as host,
        sync_playwright() as api,
    ):
        browser = api.chromium.launch(executable_path=installed_browser(), args=BROWSER_ARGUMENTS)
        editor = Editor(browser, host.url, nodes2=False, size=(1480, 900))
        for template in sorted(WORKFLOWS.glob("*.json")):
            editor.load(load_template(template.stem), template.stem)
            thumbnail(host.pictures(editor.run()), template.with_suffix(".jpg"))
        editor.load(load_template("2-Ask-for-your-model-PersonalQ"))
        editor.set_value("PersonalQCheckIn", "request", "a bear on forest grass")
        editor.run()
        editor.question.wait_for()
        (ROOT / "docs").mkdir(exist_ok=True)
        photograph(editor, ROOT / "docs" / "canvas.jpg", scale=0.8, size=(1480, 900))
        editor.run(editor.choices.first.click)
        photograph(editor, ROOT / "docs" / "answered.jpg", scale=0.75, size=(1480, 900), crop=GRAPH)


def thumbnail(drawn: list[Path], file: Path) -> None:
    """What a template draws, as a square; of several pictures, a part of each side by side."""
    square = Image.new("RGB", (THUMBNAIL, THUMBNAIL))
    width = THUMBNAIL // len(drawn)
    for place, one in enumerate(drawn):
        with Image.open(one) as picture:
            large = picture.convert("RGB").resize(square.size, Image.Resampling.LANCZOS)
        left = (THUMBNAIL - width) // 2
        square.paste(large.crop((left, 0, left + width, THUMBNAIL)), (place * width, 0))
    square.save(file, quality=88, optimize=True)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1024:.0f} KB")


def photograph(
    editor: Editor, file: Path, *, scale: float, size: tuple[int, int], crop: Box | None = None
) -> None:
    """The page, or a part of it, as a JPEG of at most this size, without the toasts."""
    editor.look_at(scale)
    editor.page.evaluate(
        "() => { app.canvas.deselectAll(); app.canvas.ds.offset[1] += 40 / app.canvas.ds.scale; }"
    )
    editor.page.wait_for_timeout(1500)  # previews load, the canvas draws
    for close in editor.toasts.get_by_role("button", name="Close").all():
        close.click()
    editor.page.wait_for_timeout(500)
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        editor.page.screenshot(path=shot)
        with Image.open(shot) as picture:
            picture = picture.convert("RGB").crop(crop)
            picture.thumbnail(size, Image.Resampling.LANCZOS)
            picture.save(file, quality=85, optimize=True)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
