"""Measure the tab with all models on many of them: `python -P -m personalq.tests.browser.many_cards
COMFYUI [COUNT]`.

Makes COUNT (10,000) small LoRA files with a sidecar each, opens them in a real ComfyUI and
Chromium, and prints a line for each figure: the scan, the time from a key to the drawn list, the
longest task of the page during typing and during scrolling from top to bottom, and how many
tiles are on the page; then, for requests typed into Repo Check-in, the time from the last key to
the decision on the node; and, after ComfyUI was started again, the time from the opening of a saved
workflow to the decision on its node, and again in that ComfyUI. All in milliseconds unless said
otherwise.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from personalq.demo.host_process import HostProcess
from personalq.demo.safetensors_out import write_safetensors
from personalq.tests.browser.page import BROWSER_ARGUMENTS, Editor, installed_browser

SUBJECTS = ("bear", "dog", "cat", "horse", "house", "car", "robot", "tree", "boat", "lamp")
STYLES = ("realistic", "cartoon", "watercolour", "sketch", "pixel art")
WORDS = ("bear", "toon", "model_0123", "watercolour boat", "my latest realistic bear")
FOLDER = 500
"""Models in a folder."""

WATCH = """() => {
    window.longTasks = [];
    new PerformanceObserver(
        (list) => window.longTasks.push(...list.getEntries().map((task) => task.duration)))
        .observe({ type: "longtask" });
}"""
TYPE = """async (word) => {
    const field = document.querySelector(".personalq-search");
    const found = document.querySelector(".personalq-browse [role=status]");
    const drawn = [];
    for (const end of [...word].keys()) {
        field.value = word.slice(0, end + 1);
        const changed = new Promise((done) => {
            const watch = new MutationObserver(() => {
                watch.disconnect();
                requestAnimationFrame(() => done());
            });
            watch.observe(found, { childList: true });
        });
        const start = performance.now();
        field.dispatchEvent(new Event("input"));
        await changed;
        drawn.push(performance.now() - start);
    }
    return drawn;
}"""
SCROLL = """async (stops) => {
    const frame = document.querySelector(".personalq-grid");
    let tiles = 0;
    for (let stop = 0; stop <= stops; stop++) {
        frame.scrollTop = (frame.scrollHeight * stop) / stops;
        await new Promise(requestAnimationFrame);
        tiles = Math.max(tiles, frame.querySelectorAll(".personalq-tile").length);
    }
    return tiles;
}"""
REQUESTS = ("bear toon0 in the rain", "my latest realistic dog", "toon4321 on a hill")
DECIDED = """async (request) => {
    const node = app.graph.nodes.find((each) => each.comfyClass === "PersonalQCheckIn");
    const field = node.widgets.find((each) => each.name === "request");
    const shown = document.querySelector(".personalq-asked");
    for (const end of [...request].keys()) {
        await new Promise((next) => setTimeout(next, 60));
        field.value = request.slice(0, end + 1);
        field.callback?.(field.value);
    }
    const start = performance.now();
    const drawn = () => shown.querySelector(".personalq-preview");
    for (const before = drawn(); !drawn() || drawn() === before; )
        await new Promise(requestAnimationFrame);
    return performance.now() - start;
}"""
"""Types a request, a key each 60 ms; the node waits 300 ms after the last one."""
OPENED = """async (request) => {
    const node = LiteGraph.createNode("PersonalQCheckIn");
    app.graph.add(node);
    node.widgets.find((each) => each.name === "request").value = request;
    const saved = app.graph.serialize();
    app.graph.clear();
    const start = performance.now();
    await app.loadGraphData(saved, true, true, `opened ${start}`);
    while (!document.querySelector(".personalq-asked .personalq-preview"))
        await new Promise(requestAnimationFrame);
    return performance.now() - start;
}"""
"""Opens a workflow with a Repo Check-in that was saved with a request."""
STOPS = 60
"""Places in the list that are scrolled to, one a frame."""


def main(comfyui: Path, count: int) -> None:
    """Makes the models, measures, and prints the figures."""
    with tempfile.TemporaryDirectory() as folder:
        models = make_models(Path(folder) / "models", count)
        base = Path(folder) / "base"
        with opened(comfyui, models, base) as editor:
            for scan in ("first scan", "scan of what is known"):
                started = time.perf_counter()
                if scan == "first scan":
                    editor.open_library()
                else:
                    editor.page.get_by_role("button", name="Rescan").click()
                    editor.open_library()
                say(f"{scan}, in seconds", time.perf_counter() - started)
            measure(editor.page)
            measure_decisions(editor)
        with opened(comfyui, models, base) as editor:
            for known in ("after ComfyUI's start", "once more"):
                taken = editor.page.evaluate(OPENED, REQUESTS[0])
                say(f"from opening a workflow to its decision, {known}", taken)


@contextmanager
def opened(comfyui: Path, models: Path, base: Path) -> Iterator[Editor]:
    """An editor of a ComfyUI that is started for it."""
    with HostProcess(comfyui, models, base) as host, sync_playwright() as api:
        browser = api.chromium.launch(executable_path=installed_browser(), args=BROWSER_ARGUMENTS)
        editor = Editor(browser, host.url, nodes2=False)
        editor.page.set_default_timeout(600_000)  # the first scan reads every file
        yield editor
        browser.close()


def make_models(folder: Path, count: int) -> Path:
    """`count` LoRA files of one small layer, with sidecars, in folders of `FOLDER`."""
    layer = "lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k"
    tensors = {
        f"{layer}.lora_{part}.weight": np.zeros((2, 2), np.float16) for part in ("down", "up")
    }
    for number in range(count):
        place = folder / "loras" / f"{number // FOLDER:03}"
        place.mkdir(parents=True, exist_ok=True)
        subject, style = (
            SUBJECTS[number % len(SUBJECTS)],
            STYLES[number // len(SUBJECTS) % len(STYLES)],
        )
        write_safetensors(
            place / f"model_{number:05}.safetensors", tensors, {"ss_base_model_version": "sd_v1"}
        )
        (place / f"model_{number:05}.personalq.yaml").write_text(
            f"triggers: [toon{number}]\nsubjects: [{subject}]\nstyles: [{style}]\nbase_model: "
            "sd15\n",
            encoding="utf-8",
        )
    return folder


def measure(page: Page) -> None:
    """Types and scrolls in the open tab."""
    page.evaluate(WATCH)
    drawn = sorted(time for word in WORDS for time in page.evaluate(TYPE, word))
    say("from a key to the drawn list, median", drawn[len(drawn) // 2])
    say("from a key to the drawn list, longest", drawn[-1])
    say("longest task while typing", longest_task(page))
    page.evaluate(TYPE, " ")
    page.wait_for_timeout(1000)
    longest_task(page)
    tiles = page.evaluate(SCROLL, STOPS)
    page.wait_for_timeout(1000)
    say("longest task while scrolling", longest_task(page))
    say("tiles on the page, at most (a number)", tiles)


def measure_decisions(editor: Editor) -> None:
    """Types requests into a Repo Check-in."""
    page = editor.page
    editor.load({"nodes": [], "links": [], "version": 0.4}, "decisions")
    page.evaluate("() => app.graph.add(LiteGraph.createNode('PersonalQCheckIn'))")
    page.wait_for_timeout(1000)
    page.evaluate(DECIDED, REQUESTS[-1])  # the first one reads the models
    page.wait_for_timeout(1000)
    longest_task(page)
    taken = sorted(page.evaluate(DECIDED, request) for request in REQUESTS for _ in range(3))
    say("from the last key to the decision, median", taken[len(taken) // 2])
    say("longest task while typing a request", longest_task(page))


def longest_task(page: Page) -> float:
    """The longest task since the last call; 0 where none took 50 ms."""
    return page.evaluate("() => Math.max(0, ...window.longTasks.splice(0))")


def say(what: str, figure: float) -> None:
    """One line."""
    print(f"{what:62} {figure:10.1f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
