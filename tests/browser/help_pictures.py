"""Takes the pictures in the help pages: `python -P -m personalq.tests.browser.help_pictures COMFYUI
[NodeId ...]`.

Runs each node in the real front end, on a copy of the demo repository at a small size, and writes
web/docs/pictures/<NodeId>.jpg: the node as it looks after its run.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from personalq.demo.host_process import HostProcess
from personalq.demo.repository import make_demo
from personalq.tests.browser.page import (
    BROWSER_ARGUMENTS,
    FIND,
    WORKFLOWS,
    Editor,
    installed_browser,
    load_template,
    small_template,
)

ROOT = WORKFLOWS.parent
FOLDER = ROOT / "web" / "docs" / "pictures"
WIDEST = 560
"""Pixels: as wide as the help panel shows a picture."""

Links = Sequence[tuple[str, str, str]]
"""(type of the node it comes from, its output, the new node's input)."""


def main(comfyui: Path, names: Sequence[str]) -> None:
    """Takes the pictures of the nodes with these ids, or of all."""
    with tempfile.TemporaryDirectory() as base, sync_playwright() as api:
        models = Path(base) / "models"
        shutil.copytree(
            make_demo(ROOT / "out" / "demo").folder, models, copy_function=_link_or_copy
        )
        with HostProcess(comfyui, models, Path(base) / "comfyui") as host:
            browser = api.chromium.launch(
                executable_path=installed_browser(), args=BROWSER_ARGUMENTS
            )
            take(Editor(browser, host.url, nodes2=False, size=(1400, 1300)), names)


def take(editor: Editor, names: Sequence[str]) -> None:
    """Takes the pictures on an open page."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or SCENES:
        SCENES[name](editor)
        photograph(editor, name)


def check_in(editor: Editor) -> None:
    editor.load(small_template("2-Ask-for-your-model-PersonalQ", side=64, steps=2), "help")
    editor.run()


def clarify(editor: Editor) -> None:
    editor.load(small_template("5-A-longer-prompt-PersonalQ", side=64, steps=2), "help")
    editor.set_value("PersonalQClarify", "answer", "for: a bear on forest grass\ncartoon")


def trigger_rewrite(editor: Editor) -> None:
    editor.load(small_template("5-A-longer-prompt-PersonalQ", side=64, steps=2), "help")
    editor.run()


def recommended_settings(editor: Editor) -> None:
    editor.load(load_template("2-Ask-for-your-model-PersonalQ"), "help")
    editor.run()


def sensitivity(editor: Editor) -> None:
    values = {
        "text": "a photo of <bear-v4> on grass",
        "steps": 2,
        "width": 64,
        "height": 64,
        "bits": "2",
    }
    links = [(CHECK_IN, name, name) for name in ("model", "clip", "vae", "selection")]
    _alone(
        editor,
        "PersonalQSensitivity",
        values,
        [*links, ("CLIPTextEncode", "CONDITIONING", "negative")],
    )


def calibrate(editor: Editor) -> None:
    values = {"prompts": 1, "iterations": 1, "pixels": 64}
    _alone(
        editor,
        "PersonalQCalibrate",
        values,
        [(CHECK_IN, name, name) for name in ("model", "clip", "selection")],
    )


def describe(editor: Editor) -> None:
    _alone(editor, "PersonalQDescribe", {"limit": 3}, [])


CHECK_IN = "PersonalQCheckIn"
SCENES: dict[str, Callable[[Editor], None]] = {
    CHECK_IN: check_in,
    "PersonalQClarify": clarify,
    "PersonalQTriggerRewrite": trigger_rewrite,
    "PersonalQSettings": recommended_settings,
    "PersonalQTAQ": check_in,
    "PersonalQSensitivity": sensitivity,
    "PersonalQCalibrate": calibrate,
    "PersonalQDescribe": describe,
}


def _alone(editor: Editor, node_type: str, values: Mapping[str, Any], links: Links) -> None:
    """Puts a node where the sampler and its picture are in the template, and runs it."""
    editor.load(small_template("2-Ask-for-your-model-PersonalQ", side=64, steps=2), "help")
    editor.page.evaluate(
        f"""([type, values, links]) => {{
            {FIND}
            for (const old of ["PersonalQTAQ", "KSampler", "VAEDecode", "SaveImage"])
                app.graph.remove(find(old));
            const node = LiteGraph.createNode(type);
            node.pos = [1700, 0];
            app.graph.add(node);
            for (const widget of node.widgets)
                if (widget.name in values) widget.value = values[widget.name];
            for (const [from, output, input] of links) {{
                const source = find(from);
                source.connect(source.findOutputSlot(output), node, input);
            }}
        }}""",
        [node_type, dict(values), [list(link) for link in links]],
    )
    entry = editor.run(timeout=400)
    assert entry["status"]["status_str"] == "success", entry["status"]["messages"][-1]


def photograph(editor: Editor, name: str) -> None:
    """The node alone, as a JPEG."""
    editor.page.evaluate(
        f"""(type) => {{
            {FIND}
            const [x, y] = find(type).getBounding();
            app.canvas.ds.scale = 1;
            app.canvas.ds.offset = [140 - x, 140 - y];
            app.canvas.setDirty(true, true);
        }}""",
        name,
    )
    editor.page.wait_for_timeout(
        2500
    )  # previews load, the canvas draws, and the node grows to what it shows
    left, top, width, height = editor.page.evaluate(
        f"""(type) => {{
            {FIND}
            const [x, y, width, height] = find(type).getBounding();
            const page = app.canvas.canvas.getBoundingClientRect();
            const [dx, dy] = app.canvas.ds.offset;
            return [page.left + x + dx, page.top + y + dy, width, height];
        }}""",
        name,
    )
    for close in editor.toasts.get_by_role("button", name="Close").all():
        close.click()
    file = FOLDER / f"{name}.jpg"
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        clip = {"x": left - 8, "y": top - 8, "width": width + 16, "height": height + 16}
        editor.page.screenshot(path=shot, clip=clip)
        with Image.open(shot) as picture:
            picture = picture.convert("RGB")
            picture.thumbnail((WIDEST, 4 * WIDEST), Image.Resampling.LANCZOS)
            picture.save(file, quality=82, optimize=True)
    print(
        f"{file.relative_to(ROOT)}: {picture.size}, {file.stat().st_size / 1024:.0f} KB", flush=True
    )


def _link_or_copy(source: str, target: str) -> None:
    """Weights are linked; what a node may write is copied."""
    (os.link if source.endswith(".safetensors") else shutil.copyfile)(source, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
