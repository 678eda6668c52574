"""Records the moving picture: `python -P -m personalq.tests.browser.moving_picture COMFYUI`.

Writes docs/personalq.webp. In the real canvas on the demo models, a person types a request into
Repo Check-in, is asked before any run which model is meant, clicks a choice, presses Run, and the
picture appears. Waiting is shortened: while ComfyUI works, however long that takes, at most
MAX_WAIT_FRAMES frames are shown. The nodes of the template are moved together, and those that the
story does not need are collapsed. The mouse pointer, which no screenshot contains, and the line of
text are drawn into the page.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

from personalq.demo.host_process import HostProcess
from personalq.demo.repository import make_demo
from personalq.tests.browser.page import (
    BROWSER_ARGUMENTS,
    FIND,
    WORKFLOWS,
    Editor,
    installed_browser,
    load_template,
)

ROOT = WORKFLOWS.parent
FILE = ROOT / "docs" / "personalq.webp"
REQUEST, CHOICE = "a bear in the snow", 1
"""What is typed, and which of the choices is clicked: the second."""
START = (640.0, 680.0)
"""Where the pointer is at first, in px of the page."""
LEFT, TOP, WIDTH, HEIGHT = 60, 38, 1000, 830
"""What of the page is shown, in px: without the sidebar and the bar of tabs."""
SCALE = 0.9
FRAME_MS = 100
MAX_WAIT_FRAMES = 20
"""Of those taken while ComfyUI works, evenly chosen; each is shown for FRAME_MS."""
QUIET = {
    "Comfy.Canvas.SelectionToolbox": False,
    "Comfy.Graph.CanvasInfo": False,
    "Comfy.Graph.CanvasMenu": False,
    "Comfy.NodeBadge.NodeSourceBadgeMode": "None",
    "Comfy.TextareaWidget.FontSize": 14,
}
"""The editor's own settings for a quiet picture with large text."""
LAYOUT = {"PersonalQCheckIn": (0, 0, 540, 390), "SaveImage": (600, 0, 400, 460)}
"""Position and size of nodes that are shown whole; the others are collapsed below the last one."""
DRAWN = """(left) => {
    const pointer = document.createElement("div");
    pointer.id = "pointer";
    pointer.innerHTML = `<svg width="26" height="34" viewBox="0 0 13 17">
        <path d="M1 1v13l3-3 2 5 2-1-2-5h4z" fill="white" stroke="black"/></svg>`;
    pointer.style = "position: fixed; left: 0; top: 0; z-index: 9999; pointer-events: none";
    const ring = document.createElement("div");
    ring.id = "ring";
    ring.style = `position: fixed; z-index: 9998; pointer-events: none; display: none;
        width: 44px; height: 44px; transform: translate(-50%, -50%);
        border: 4px solid #ffd24a; border-radius: 50%`;
    const caption = document.createElement("div");
    caption.id = "caption";
    caption.style = `position: fixed; z-index: 9997; pointer-events: none;
        left: ${left}px; right: 0; bottom: 0; height: 52px; text-align: center;
        background: #101014; color: white; font: 600 21px/52px "DejaVu Sans", sans-serif`;
    document.body.append(pointer, ring, caption);
}"""
"""Draws a mouse pointer, a ring that shows a click, and a line of words below."""

SEEN = "() => document.querySelector('{}')?.checkVisibility()"
"""Whether an element can be seen."""
DRAWN_PICTURE = f"""() => {{
    {FIND}
    return document.querySelector(`[data-node-id="${{find("SaveImage").id}}"] img`)?.complete;
}}"""
"""Whether Save Image shows its picture."""


@dataclass
class Film:
    """Frames of a page, and how long each is shown, in ms."""

    page: Page
    at: tuple[float, float]
    """Where the pointer is."""
    frames: list[Image.Image] = field(default_factory=list)
    durations: list[int] = field(default_factory=list)

    def shoot(self, duration: int) -> None:
        """Adds what can be seen now, for a duration in ms."""
        self._add(self._seen(), duration)

    def _seen(self) -> Image.Image:
        taken = self.page.screenshot(clip={"x": LEFT, "y": TOP, "width": WIDTH, "height": HEIGHT})
        return Image.open(io.BytesIO(taken)).convert("RGB")

    def _add(self, frame: Image.Image, duration: int) -> None:
        if self.frames and frame.tobytes() == self.frames[-1].tobytes():
            self.durations[-1] += duration
        else:
            self.frames.append(frame)
            self.durations.append(duration)

    def say(self, words: str) -> None:
        """Writes the line of words below."""
        self.page.evaluate("(words) => { caption.textContent = words; }", words)

    def point(self, x: float, y: float) -> None:
        """Shows how the pointer moves to a place, and moves the mouse there."""
        start, steps = self.at, 14
        for step in range(1, steps + 1):
            part = step / steps
            part = part * part * (3 - 2 * part)  # slow, fast, slow
            self._draw_pointer(start[0] + (x - start[0]) * part, start[1] + (y - start[1]) * part)
            self.shoot(50)
        self.page.mouse.move(x, y)
        self.at = (x, y)

    def click(self, what: Locator) -> None:
        """Points at the middle of something, and clicks it."""
        box = what.bounding_box()
        assert box
        self.point(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.shoot(400)
        self._ring("block")
        self.shoot(350)
        self.page.mouse.click(*self.at)
        self._ring("none")

    def wait(self, until: str, seconds: float = 300) -> None:
        """Shows ComfyUI working until a script is true, in fewer frames than it takes."""
        deadline = time.monotonic() + seconds
        waited: list[Image.Image] = []
        while not self.page.evaluate(until):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {seconds:.0f} s: {until}")
            waited.append(self._seen())
            self.page.wait_for_timeout(FRAME_MS)
        shown = min(len(waited), MAX_WAIT_FRAMES)
        for number in range(shown):
            self._add(waited[number * len(waited) // shown], FRAME_MS)

    def save(self, file: Path) -> None:
        """Writes the film as an animated WebP."""
        first, *others = self.frames
        first.save(
            file,
            save_all=True,
            append_images=others,
            duration=self.durations,
            loop=0,
            quality=90,
            method=6,
            minimize_size=True,
        )

    def _draw_pointer(self, x: float, y: float) -> None:
        self.page.evaluate(
            """([x, y]) => {
                pointer.style.transform = `translate(${x}px, ${y}px)`;
                Object.assign(ring.style, { left: `${x}px`, top: `${y}px` });
            }""",
            [x, y],
        )

    def _ring(self, display: str) -> None:
        self.page.evaluate("(display) => { ring.style.display = display; }", display)


def main(comfyui: Path) -> None:
    """Records the film on the demo repository."""
    demo = make_demo(ROOT / "out" / "demo").folder
    with (
        tempfile.TemporaryDirectory() as base,
        HostProcess(comfyui, demo, Path(base)) as host,
        sync_playwright() as api,
    ):
        host.post("/settings", QUIET)
        browser = api.chromium.launch(executable_path=installed_browser(), args=BROWSER_ARGUMENTS)
        editor = Editor(browser, host.url, nodes2=True, size=(LEFT + WIDTH, TOP + HEIGHT))
        film = record(editor)
        film.save(FILE)
    seconds = sum(film.durations) / 1000
    size = FILE.stat().st_size / 1e6
    print(f"{FILE.relative_to(ROOT)}: {len(film.frames)} frames, {seconds:.1f} s, {size:.2f} MB")


def record(editor: Editor) -> Film:
    """The story: type, question, click, run, picture."""
    page = editor.page
    editor.load(load_template("2-Ask-for-your-model-PersonalQ"))
    arrange(page)
    editor.set_value("PersonalQCheckIn", "request", "")
    page.evaluate(DRAWN, LEFT)
    page.add_style_tag(content="[data-testid=queue-notification-banner] { display: none }")
    page.wait_for_timeout(1500)  # the canvas draws
    film = Film(page, at=START)
    film.say("Type what you want into Repo Check-in")
    film.point(*START)
    film.click(page.locator("textarea").filter(visible=True).first)
    for letter in REQUEST:
        page.keyboard.type(letter)
        film.shoot(70)
    film.wait(SEEN.format(".personalq-question"))
    film.say("Several of your models fit: it asks at once, before any run")
    page.wait_for_timeout(800)  # the pictures of the choices load
    film.shoot(2200)
    film.say("A click answers")
    film.click(editor.choices.nth(CHOICE))
    film.wait(SEEN.format(".personalq-model"))
    film.say("This model would be used")
    page.wait_for_timeout(800)  # its picture loads
    film.shoot(1800)
    film.say("Press Run")
    film.click(page.get_by_role("button", name="Run", exact=True).first)
    film.say("It loads your model in 8 bits and puts its trigger into the prompt")
    page.mouse.move(*START)  # at once: the bar shows more under a mouse
    film.point(*START)
    film.wait(DRAWN_PICTURE)
    page.wait_for_timeout(800)  # the page draws it
    film.shoot(1000)
    film.say("Your model, in 8 bits, with its trigger in the prompt")
    film.point(LEFT + 850, TOP + 700)
    film.shoot(3500)
    return film


def arrange(page: Page) -> None:
    """Moves the nodes of the template so that the story fits into the picture."""
    page.evaluate(
        """([layout, scale, left]) => {
            const graph = app.canvas.graph;
            graph.remove(graph.nodes.find((node) => node.type === "MarkdownNote"));
            let row = 0;
            for (const node of graph.nodes) {
                const place = layout[node.type];
                if (place) {
                    node.pos = place.slice(0, 2);
                    node.setSize(place.slice(2));
                } else {
                    node.pos = [layout.SaveImage[0] + 205 * (row % 2), 525 + 45 * (row++ >> 1)];
                    node.collapse();
                }
            }
            app.canvas.ds.scale = scale;
            app.canvas.ds.offset = [(left + 20) / scale, 138 / scale];
            app.canvas.setDirty(true, true);
        }""",
        [LAYOUT, SCALE, LEFT],
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
