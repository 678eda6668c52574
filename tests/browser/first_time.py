"""Play a person who opens ComfyUI with the pack for the first time: `python -P -m
personalq.tests.browser.first_time COMFYUI FOLDER [FRONT_END]`.

In both renderers, from an empty canvas to a saved picture; FOLDER receives a screenshot of each
step. FRONT_END is the folder of another front end than the one that ComfyUI comes with.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Locator, expect, sync_playwright

from personalq.demo.host_process import HostProcess, device_arguments
from personalq.demo.repository import make_demo
from personalq.tests.browser.page import (
    BROWSER_ARGUMENTS,
    FIND,
    WORKFLOWS,
    Editor,
    installed_browser,
)

SIZE = (1440, 900)
EMPTY = {"nodes": [], "links": [], "version": 0.4}
CHECK_IN = "PersonalQCheckIn"
PLACE = (270, 140)
"""Where on the page the node is put down: the middle of its title."""
MAX_TABS = 6
"""Presses of Tab from the request to its question."""
REST = f"""() => {{
    {FIND}
    const checkIn = find("{CHECK_IN}");
    const [x, y] = checkIn.pos;
    const add = (type, dx, dy) => {{
        const node = LiteGraph.createNode(type);
        node.pos = [x + dx, y + dy];
        app.graph.add(node);
        return node;
    }};
    const link = (from, output, to, input) => from.connect(from.findOutputSlot(output), to, input);
    const sampler = add("KSampler", 450, 0);
    const settings = add("PersonalQSettings", 450, 330);
    const save = add("SaveImage", 770, 0);
    const decode = add("VAEDecode", 770, 330);
    const latent = add("EmptyLatentImage", 770, 420);
    const negative = add("CLIPTextEncode", 770, 590);
    save.setSize([300, 290]);
    negative.setSize([300, 120]);
    link(checkIn, "model", sampler, "model");
    link(checkIn, "conditioning", sampler, "positive");
    link(checkIn, "clip", negative, "clip");
    link(checkIn, "vae", decode, "vae");
    link(checkIn, "settings", settings, "settings");
    link(negative, "CONDITIONING", sampler, "negative");
    link(latent, "LATENT", sampler, "latent_image");
    link(sampler, "LATENT", decode, "samples");
    link(decode, "IMAGE", save, "images");
    for (const name of ["width", "height"]) link(settings, name, latent, name);
    for (const name of ["steps", "cfg"]) link(settings, name, sampler, name);
}}"""
"""Adds the nodes around Repo Check-in that a picture needs, as the templates have them."""


def main(comfyui: Path, folder: Path, front_end: str | None = None) -> None:
    """Plays the visit in both renderers and keeps the screenshots."""
    demo = make_demo(WORKFLOWS.parent / "out" / "demo").folder
    arguments = device_arguments() + (["--front-end-root", front_end] if front_end else [])
    with (
        tempfile.TemporaryDirectory() as base,
        HostProcess(comfyui, demo, Path(base), arguments=arguments) as host,
        sync_playwright() as api,
    ):
        browser = api.chromium.launch(executable_path=installed_browser(), args=BROWSER_ARGUMENTS)
        for renderer, nodes2 in (("classic", False), ("nodes2", True)):
            editor = Editor(browser, host.url, nodes2=nodes2, size=SIZE)
            for step in keep_pictures(editor, folder / renderer):
                print(f"{renderer}: {step}", flush=True)
            for error in editor.errors:
                print(f"{renderer}: error: {error}", flush=True)
            editor.close()


def keep_pictures(editor: Editor, folder: Path, small: bool = False) -> Iterator[str]:
    """Plays the visit, with a screenshot of each step in the folder; `small`: of what is drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, step in enumerate(visit(editor, small), 1):
        editor.page.wait_for_timeout(700)  # pictures load, the canvas draws
        editor.page.screenshot(path=folder / f"{number:02}-{step}.png")
        yield step


def visit(editor: Editor, small: bool) -> Iterator[str]:
    """The steps of the visit, each named when it is done."""
    yield from find_the_node(editor)
    yield from ask_and_answer(editor, small)
    yield from use_two_and_compare(editor)
    yield from keep_the_workflow(editor)


def find_the_node(editor: Editor) -> Iterator[str]:
    """An empty canvas, a double click, other packs' words for our node, and the node put down."""
    page = editor.page
    editor.load(EMPTY, f"first visit {editor.runs()}")
    yield "empty"
    search = page.get_by_role("combobox").or_(page.get_by_role("searchbox")).first
    for _ in range(5):  # a busy page takes two clicks that it sees late for two single ones
        page.mouse.dblclick(*PLACE)
        page.wait_for_timeout(500)
        if search.is_visible():
            break
    page.keyboard.type("lora picker")
    expect(page.get_by_text("Repo Check-in").first).to_be_visible()
    yield "search"
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => {{ {FIND} return find('{CHECK_IN}')?.flags.ghost; }}")
    page.wait_for_timeout(500)  # the search closes
    page.mouse.move(PLACE[0] - 20, PLACE[1], steps=4)
    page.mouse.click(*PLACE)  # puts down the node that hangs on the pointer
    page.wait_for_function(f"() => {{ {FIND} return !find('{CHECK_IN}').flags.ghost; }}")
    expect(panel(editor)).to_be_visible()
    yield "dropped"


def ask_and_answer(editor: Editor, small: bool) -> Iterator[str]:
    """A request that fits two models: its question before Run, and an answer by the keyboard."""
    page = editor.page
    say(editor, "a bear on forest grass")
    expect(editor.choices).to_have_count(2)
    yield "typed"
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Prompt has no outputs").first).to_be_visible()
    yield "alone"
    page.get_by_test_id("error-overlay-dismiss").click()
    page.evaluate(REST)
    if small:
        editor.draw_small()
    yield "connected"
    request_box(editor).focus()
    entry = editor.run(lambda: page.keyboard.press("Control+Enter"))
    assert not editor.pictures(entry)
    expect(panel(editor).locator(".personalq-preview")).to_have_count(0)
    expect(editor.question).to_be_visible()
    yield "asked"
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if editor.choices.first.evaluate("(choice) => choice === document.activeElement"):
            break
    page.keyboard.press("ArrowDown")
    expect(editor.choices.nth(1)).to_be_focused()
    yield "focused"
    assert editor.pictures(editor.run(lambda: page.keyboard.press("Enter")))
    expect(names(editor)).to_have_text(["bear_cartoon_v2"])
    yield "answered"


def use_two_and_compare(editor: Editor) -> Iterator[str]:
    """A request that names a second model, added with a click; then one model beside the others."""
    page = editor.page
    say(editor, "bear realistic v3 with a dog")
    expect(names(editor)).to_have_text(["bear_realistic_v3"])
    yield "another"
    panel(editor).get_by_role("button", name="Add ").first.click()
    expect(names(editor)).to_have_count(2)
    assert editor.pictures(editor.run())
    yield "two"
    panel(editor).get_by_role("button", name="Decide again").click()
    say(editor, "my latest realistic bear on forest grass")
    expect(names(editor)).to_have_text(["bear_realistic_v4"])
    assert editor.pictures(editor.run())
    yield "latest"
    panel(editor).get_by_role("button", name="to compare").click()
    dialog = page.get_by_role("dialog", name="The same picture with each model")
    expect(dialog.locator("img")).to_have_count(4, timeout=120_000)
    yield "compared"
    assert editor.pictures(editor.run(dialog.get_by_role("button").nth(1).click))
    yield "taken"


def keep_the_workflow(editor: Editor) -> Iterator[str]:
    """The workflow saved under a name, and the page reloaded."""
    page = editor.page
    before = saved_inputs(editor)
    shown = names(editor).all_inner_texts()
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Control+s")
    page.get_by_role("dialog").get_by_role("textbox").fill(f"my bears {editor.runs()}")
    yield "saving"
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.wait_for_timeout(1000)  # the page saves its draft half a second after a change
    editor.reload()
    expect(names(editor)).to_have_text(shown)
    assert saved_inputs(editor) == before
    yield "reloaded"


def say(editor: Editor, request: str) -> None:
    """Types a request in place of the last one."""
    request_box(editor).click()
    editor.page.keyboard.press("Control+a")
    editor.page.keyboard.type(request, delay=20)


def saved_inputs(editor: Editor) -> list:
    """What a saved workflow has of Repo Check-in's inputs."""
    return editor.saved_node(CHECK_IN)["widgets_values"]


def panel(editor: Editor) -> Locator:
    """What Repo Check-in shows."""
    return editor.page.locator(".personalq-asked")


def names(editor: Editor) -> Locator:
    """The names of the models that are or would be used."""
    return panel(editor).locator(".personalq-model .personalq-label")


def request_box(editor: Editor) -> Locator:
    """The field for the request."""
    return editor.page.locator("textarea").filter(visible=True).first


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
