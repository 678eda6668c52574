"""The ComfyUI page in a headless browser, with the actions that the browser tests need."""

from __future__ import annotations

import json
import shutil
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

from personalq.demo.catalogue import GUIDANCE

WORKFLOWS = Path(__file__).resolve().parents[2] / "workflows"
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
]
SETTINGS = {
    # or a dialog with templates covers the page on its first start
    "Comfy.TutorialCompleted": True,
    "Comfy.OnboardingCoachmarks.Seen": ["appMode", "firstRun"],
    "Comfy.Notification.ShowVersionUpdates": False,
    "Comfy.Minimap.Visible": False,
}
RENDERER = "Comfy.VueNodes.Enabled"
READY = """() => window.app?.canvas?.graph && !app.configuringGraph
    && app.extensions.some((extension) => extension.name === "PersonalQ")"""
LISTEN = """async () => {
    const { api } = await import("/scripts/api.js");
    const { workflowOf } = await import("/extensions/personalq/run_workflow.js");
    window.endedRuns = new Set();
    const ended = async ({ detail: { prompt_id: run } }) => {
        await workflowOf(run);  // as the pack does before it shows what the run said
        window.endedRuns.add(run);
    };
    for (const event of ["execution_success", "execution_error", "execution_interrupted"])
        api.addEventListener(event, ended);
}"""
FIND = (
    "const find = (type) => (app.rootGraph ?? app.graph).nodes.find((n) => n.comfyClass === type);"
)

Workflow = dict[str, Any]


def installed_browser() -> str | None:
    """The program of a Chromium on this machine."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def load_template(name: str) -> Workflow:
    """A workflow template as it is saved, or the one for tests of questions, "asking"."""
    folder = Path(__file__).parent / "workflows" if name == "asking" else WORKFLOWS
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def small_template(name: str, side: int, steps: int) -> Workflow:
    """A workflow template with a picture of `side` pixels and few steps, whatever is recommended
    for the model.
    """
    workflow = load_template(name)
    (recommended,) = (
        node["id"] for node in workflow["nodes"] if node["type"] == "PersonalQSettings"
    )
    cut = {link[0] for link in workflow["links"] if recommended in (link[1], link[3])}
    workflow["links"] = [link for link in workflow["links"] if link[0] not in cut]
    workflow["nodes"] = [node for node in workflow["nodes"] if node["id"] != recommended]
    for node in workflow["nodes"]:
        for slot in node["inputs"]:
            slot["link"] = None if slot["link"] in cut else slot["link"]
        for slot in node["outputs"]:
            slot["links"] = [link for link in slot["links"] or () if link not in cut]
        if node["type"] == "EmptyLatentImage":
            node["widgets_values"] = [side, side, 1]
        if node["type"] == "KSampler":
            node["widgets_values"][2:4] = [steps, GUIDANCE]
    return workflow


class Editor:
    """One page of the graph editor of the server at `url`.

    `errors` collects what the page reports as an error, if it is about a file of the pack.
    """

    def __init__(
        self,
        browser: Browser,
        url: str,
        *,
        nodes2: bool,
        size: tuple[int, int] = (1400, 900),
        theme: str = "dark",
    ):
        self.url = url
        self.nodes2 = nodes2
        self.errors: list[str] = []
        self._settings({**SETTINGS, RENDERER: nodes2, "Comfy.ColorPalette": theme})
        self._context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self._keep(f"{error}\n{error.stack}"))
        self.page.goto(url, wait_until="domcontentloaded")
        self._wait_until_ready()

    def close(self) -> None:
        """Closes the page; its drafts and its session go with it."""
        self._context.close()

    def reload(self) -> None:
        """Reloads the page; the editor restores the workflow that was open."""
        self.page.reload(wait_until="domcontentloaded")
        self._wait_until_ready()

    def load(self, workflow: Workflow, name: str = "browser_test") -> None:
        """Opens a workflow in a new tab of the editor, unscaled, its first node near the corner."""
        self.page.evaluate(
            "([graph, name]) => app.loadGraphData(graph, true, true, name)", [workflow, name]
        )
        self.look_at()

    def look_at(self, scale: float = 1.0) -> None:
        """Brings the upper left of the graph into view."""
        self.page.evaluate(
            """(scale) => {
                const { nodes } = app.canvas.graph;
                const least = (axis) => Math.min(...nodes.map((n) => n.pos[axis]));
                const [left, top] = nodes.length ? [least(0), least(1)] : [0, 0];
                app.canvas.ds.scale = scale;
                app.canvas.ds.offset = [90 / scale - left, 100 / scale - top];
                app.canvas.setDirty(true, true);
            }""",
            scale,
        )

    def queue(self) -> None:
        """Presses Run."""
        self.page.evaluate("() => { app.queuePrompt(0, 1); }")

    def run(
        self,
        action: Callable[[], object] | None = None,
        *,
        timeout: float = 120,
        until_shown: bool = True,
    ) -> dict[str, Any]:
        """Does `action` (by default: presses Run), waits until the page shows what the run said
        (`until_shown`; else until the server has it), and returns its history entry. What was
        under way before is another run.
        """
        queue = self._get("/queue")
        before = {run[1] for run in (*queue["queue_running"], *queue["queue_pending"])}
        before |= set(self._get("/history"))
        (action or self.queue)()
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            ended = {key: run for key, run in self._get("/history").items() if key not in before}
            if ended:
                key, entry = next(iter(ended.items()))
                if until_shown:
                    self.page.wait_for_function("(run) => window.endedRuns.has(run)", arg=key)
                return entry
            self.page.wait_for_timeout(100)
        raise TimeoutError(f"no run ended within {timeout:.0f} s")

    def runs(self) -> int:
        """How many runs the server has finished or has under way."""
        queue = self._get("/queue")
        return (
            len(self._get("/history")) + len(queue["queue_running"]) + len(queue["queue_pending"])
        )

    def value(self, node_type: str, widget: str) -> Any:
        """The value of a widget of the first node of this type."""
        script = (
            f"([type, name]) => {{ {FIND} return find(type).widgets.find((w) => w.name === "
            "name).value; }"
        )
        return self.page.evaluate(script, [node_type, widget])

    def wait_for_value(self, node_type: str, widget: str, value: Any) -> None:
        """Waits until there is a node of this type and a widget of the first has this value."""
        script = (
            f"([type, name, value]) => {{ {FIND} return find(type)?.widgets.find((w) => w.name === "
            "name).value === value; }"
        )
        self.page.wait_for_function(script, arg=[node_type, widget, value])

    def set_value(self, node_type: str, widget: str, value: Any, *, let_go: bool = False) -> None:
        """Changes a widget as a person would.

        With `let_go` the mouse is released in the same moment, which makes it a step of undo: the
        page counts what changes in the 50 ms after a step as a part of it.
        """
        script = f"""([type, name, value, letGo]) => {{
            {FIND}
            const widget = find(type).widgets.find((w) => w.name === name);
            widget.value = value;
            widget.callback?.(value);
            if (letGo) window.dispatchEvent(new MouseEvent("mouseup"));
        }}"""
        self.page.evaluate(script, [node_type, widget, value, let_go])

    def saved(self) -> Workflow:
        """The workflow as it would be saved."""
        return self.page.evaluate("() => (app.rootGraph ?? app.graph).serialize()")

    def saved_node(self, node_type: str) -> dict[str, Any]:
        """The first node of this type, as it would be saved."""
        return next(node for node in self.saved()["nodes"] if node["type"] == node_type)

    def pictures(self, entry: dict[str, Any]) -> list[dict[str, str]]:
        """The pictures that a run saved."""
        found = [
            image for output in entry["outputs"].values() for image in output.get("images", [])
        ]
        return [image for image in found if image["type"] == "output"]

    def hold(self, keys: str) -> None:
        """Presses keys such as "Control+z" as long as a person does: the page acts in a frame after
        they went down.
        """
        each = keys.split("+")
        for key in each:
            self.page.keyboard.down(key)
        self.page.evaluate(
            "() => new Promise((frame) => requestAnimationFrame(() => "
            "requestAnimationFrame(frame)))"
        )
        for key in reversed(each):
            self.page.keyboard.up(key)

    def collapse(self, node_type: str) -> None:
        """Collapses the first node of this type, or expands it again."""
        self.page.evaluate(f"(type) => {{ {FIND} find(type).collapse(); }}", node_type)

    def into_subgraph(self, *node_types: str) -> None:
        """Puts the first node of each type into one new subgraph."""
        script = f"(types) => {{ {FIND} app.graph.convertToSubgraph(new Set(types.map(find))); }}"
        self.page.evaluate(script, list(node_types))

    def open_subgraph(self) -> None:
        """Opens the first subgraph."""
        self.page.evaluate(
            """() => {
                const node = app.graph.nodes.find((n) => n.subgraph);
                app.canvas.openSubgraph(node.subgraph, node);
            }"""
        )
        self.page.wait_for_timeout(500)  # the page fits the view to the subgraph
        self.look_at()

    def previous_tab(self) -> None:
        """Shows the workflow in the tab to the left."""
        self.page.evaluate(
            "() => app.extensionManager.command.execute('Workspace.PreviousOpenedWorkflow')"
        )

    def add_trigger_rewrite(self) -> None:
        """Puts a Trigger Rewrite between Check-in and the sampler's positive input."""
        self.page.evaluate(
            f"""() => {{
                {FIND}
                const [checkIn, sampler] = [find("PersonalQCheckIn"), find("KSampler")];
                const rewrite = LiteGraph.createNode("PersonalQTriggerRewrite");
                rewrite.pos = [checkIn.pos[0], checkIn.pos[1] + 700];
                app.graph.add(rewrite);
                const output = (name) => checkIn.findOutputSlot(name);
                checkIn.connect(output("clip"), rewrite, "clip");
                checkIn.connect(output("selection"), rewrite, "selection");
                rewrite.connect(0, sampler, "positive");
            }}"""
        )

    def open_library(self) -> None:
        """Opens our tab of the sidebar, with all models."""
        if not self.page.locator(".personalq-library").count():
            self.page.get_by_role("button", name="PersonalQ").first.click()
        self.page.get_by_role("button", name="Rescan").and_(
            self.page.locator(":enabled")
        ).wait_for()

    def open_settings(self) -> None:
        """Opens our page of the settings dialog."""
        self.page.evaluate(
            "() => { app.extensionManager.command.execute('Comfy.ShowSettingsDialog'); }"
        )
        self.page.get_by_role("dialog").get_by_text("PersonalQ", exact=True).first.click()
        self.page.locator(".personalq-leave_out input").first.wait_for()

    def draw_small(self) -> None:
        """Makes the open workflow draw small pictures in two steps, whatever is recommended: for
        tests to which it does not matter what is drawn.
        """
        self.page.evaluate(
            """() => {
                const small = { steps: 2, width: 64, height: 64 };
                for (const node of app.graph.nodes) {
                    if (!["KSampler", "EmptyLatentImage"].includes(node.comfyClass)) continue;
                    for (const widget of node.widgets) {
                        if (!(widget.name in small)) continue;
                        node.disconnectInput(widget.name);
                        widget.value = small[widget.name];
                    }
                }
            }"""
        )

    def bring_into_view(self, node_type: str) -> None:
        """Moves the view so that the first node of this type is right of the sidebar."""
        script = f"""(type) => {{
            {FIND}
            app.canvas.ds.scale = 0.8;
            app.canvas.ds.offset = [560 - find(type).pos[0], 150 - find(type).pos[1]];
            app.canvas.setDirty(true, true);
        }}"""
        self.page.evaluate(script, node_type)
        self.page.wait_for_timeout(300)

    def middle_of(self, node_type: str) -> tuple[float, float]:
        """Where on the page the middle of the first node of this type is."""
        script = f"""(type) => {{
            {FIND}
            const {{ pos, size }} = find(type);
            return app.canvasPosToClientPos([pos[0] + size[0] / 2, pos[1] + size[1] / 2]);
        }}"""
        x, y = self.page.evaluate(script, node_type)
        return x, y

    def drag(self, what: Locator, to: tuple[float, float]) -> None:
        """Drags something to a place on the page, as a hand does."""
        what.hover()
        self.page.mouse.down()
        self.page.mouse.move(to[0] - 20, to[1] - 20, steps=8)
        self.page.mouse.move(*to, steps=4)
        self.page.mouse.up()
        self.page.wait_for_timeout(200)

    @property
    def question(self) -> Locator:
        """The text of the open question."""
        return self.page.locator(".personalq-question")

    @property
    def choices(self) -> Locator:
        """The buttons of the open question."""
        return self.page.locator("button.personalq-choice")

    @property
    def toasts(self) -> Locator:
        """The messages in the corner."""
        return self.page.locator(".p-toast-message")

    def _settings(self, values: dict[str, Any]) -> None:
        body = json.dumps(values).encode()
        request = urllib.request.Request(
            f"{self.url}/settings", body, {"Content-Type": "application/json"}, method="POST"
        )
        urllib.request.urlopen(request, timeout=30).close()

    def _get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return json.load(answer)

    def _wait_until_ready(self) -> None:
        self.page.wait_for_function(READY)
        self.page.locator("#splash-loader").wait_for(state="hidden")
        self.page.evaluate(LISTEN)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._keep(f"{message.text} ({message.location.get('url', '')})")

    def _keep(self, error: str) -> None:
        if "personalq" in error.lower():
            self.errors.append(error)
