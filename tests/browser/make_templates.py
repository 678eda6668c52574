"""Makes the workflow templates anew: `python -P -m personalq.tests.browser.make_templates COMFYUI`.

The front end itself makes the nodes, so that a template has each of their inputs and a value for
each. The pictures are made by `pictures`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from personalq.demo.host_process import HostProcess
from personalq.demo.repository import make_demo
from personalq.tests.browser.page import BROWSER_ARGUMENTS, WORKFLOWS, Editor, installed_browser

ROOT = WORKFLOWS.parent
BASE = "demo_base.safetensors"
BUILD = """([nodes, links]) => {
    app.graph.clear();
    const made = {};
    for (const [name, { type, pos, size, title, values }] of Object.entries(nodes)) {
        const node = LiteGraph.createNode(type);
        app.graph.add(node);
        made[name] = node;
        node.pos = pos;
        if (title) node.title = title;
        for (const [widget, value] of Object.entries(values)) {
            (node.widgets.find((one) => one.name === widget) ?? node.widgets[0]).value = value;
        }
        node.setSize(size);
    }
    for (const [from, output, to, input] of links) {
        const place = made[to].inputs.findIndex((one) => one.name === input);
        const slot = made[from].outputs.findIndex((one) => one.name === output);
        if (place < 0 || slot < 0 || !made[from].connect(slot, made[to], place)) {
            throw new Error(`${from}.${output} -> ${to}.${input}`);
        }
    }
    return Object.fromEntries(Object.entries(made).map(([name, { id }]) => [name, id]));
}"""
"""Makes a graph; gives the id of each node."""


@dataclass
class Node:
    """One node of a template."""

    type: str
    pos: tuple[int, int]
    size: tuple[int, int]
    values: dict[str, Any] = field(default_factory=dict)
    title: str = ""


@dataclass
class Template:
    """One template: its nodes by names, and its links: "from.output to.input"."""

    nodes: dict[str, Node]
    links: list[str]
    app: list[str] = field(default_factory=list)
    """Inputs that the app shows, "node.widget"; none for a workflow that opens as a graph."""


def note(text: str, height: int = 230) -> Node:
    """What the template is for."""
    return Node("MarkdownNote", (0, 0), (280, height), {"": text}, "How this works")


def check_in(request: str, x: int = 310) -> Node:
    """Repo Check-in."""
    return Node("PersonalQCheckIn", (x, 0), (340, 420), {"request": request})


SAMPLER = {"seed": 6, "control_after_generate": "randomize", "steps": 25, "cfg": 7.0}
OUT = {
    "settings": Node("PersonalQSettings", (680, 0), (300, 248)),
    "negative": Node("CLIPTextEncode", (0, 300), (280, 104), {"text": ""}, title="Negative prompt"),
    "latent": Node("EmptyLatentImage", (680, 345), (300, 120)),
    "sampler": Node("KSampler", (1010, 0), (260, 262), SAMPLER),
    "decode": Node("VAEDecode", (1010, 312), (260, 56)),
    "picture": Node("SaveImage", (1010, 418), (260, 304), {"filename_prefix": "PersonalQ"}),
}
"""What turns a model and a prompt into a picture."""
RECOMMENDED = [
    "settings.width latent.width",
    "settings.height latent.height",
    "settings.steps sampler.steps",
    "settings.cfg sampler.cfg",
    "settings.sampler_name sampler.sampler_name",
    "settings.scheduler sampler.scheduler",
    "settings.negative negative.text",
    "latent.LATENT sampler.latent_image",
    "sampler.LATENT decode.samples",
    "decode.IMAGE picture.images",
]
CHOSEN = [
    "ask.clip negative.clip",
    "negative.CONDITIONING sampler.negative",
    "ask.selection settings.selection",
    "ask.vae decode.vae",
]


def by_request(words: str, request: str, *, quantized: bool = True, **more: Any) -> Template:
    """From a request to a picture."""
    nodes = {"note": note(words), "ask": check_in(request), **OUT}
    links = [*CHOSEN, *RECOMMENDED, "ask.conditioning sampler.positive"]
    if quantized:
        nodes["taq"] = Node("PersonalQTAQ", (680, 505), (300, 240), {"preset": "serving plan"})
        links += [
            "ask.model taq.model",
            "ask.selection taq.selection",
            "taq.model sampler.model",
        ]
    else:
        links.append("ask.model sampler.model")
    return Template(nodes, links, **more)


TEMPLATES: dict[str, Template] = {
    # The names are titles and parts of addresses; one that ends in ".app" opens as an app.
    "1-Ask-for-your-model-PersonalQ.app": by_request(
        "**Ask for your model.** This opens as an app: one box for what you want, and below it the "
        "model that is meant, or one short question. *Graph* at the top shows the nodes.",
        "my latest realistic bear on forest grass",
        app=["ask.request", "ask.personalq_decision", "ask.base_model", "sampler.seed"],
    ),
    "2-Ask-for-your-model-PersonalQ": by_request(
        "**Ask for your model.** Write what you want into *Repo Check-in*: whom or what, and if "
        "you like its style, version or date. While you type, the node shows which of your models "
        "is meant; when several are, it asks. Words that only choose the model, like *my latest*, "
        "are struck through and not drawn.\n\nSize, steps, sampler and negative prompt are those "
        "that the model was made for. For your own, unplug *Recommended Settings*.",
        "my latest realistic bear on forest grass",
    ),
    "3-My-model-in-my-style-PersonalQ": by_request(
        "**Two models at once.** Ask for both in one sentence: *my robot as a blueprint*, *my dog "
        "in my ink style*. Each becomes a chip with its strength and its trigger words; switch one "
        "off, swap it, or add another under *Also named*.",
        "my tin robot as a blueprint",
        quantized=False,
    ),
    "4-Inside-your-own-workflow-PersonalQ": Template(
        {
            "note": note(
                "**Inside a workflow that you have.** First choose your checkpoint in *Load "
                "Checkpoint*. Put *Repo Check-in* where a LoRA loader stands: connect your "
                "loader's *model*, *clip* and *vae*. It chooses only LoRAs that fit that model, "
                "and applies them to it.\n\nAny loader will do. To load whole checkpoints by "
                "request, disconnect the three.",
                250,
            ),
            "ask": check_in("my latest realistic bear on forest grass"),
            "load": Node("CheckpointLoaderSimple", (0, 450), (280, 104), {"ckpt_name": BASE}),
            **OUT,
        },
        [
            "load.MODEL ask.model",
            "load.CLIP ask.clip",
            "load.VAE ask.vae",
            *CHOSEN,
            *RECOMMENDED,
            "ask.conditioning sampler.positive",
            "ask.model sampler.model",
        ],
    ),
    "5-A-longer-prompt-PersonalQ": Template(
        {
            "note": note(
                "**Choose with one text, draw another.** *Repo Check-in* finds and loads the "
                "model; *Trigger Rewrite* puts its trigger into any other text, here a longer "
                "prompt.\n\n"
                "*Clarify* keeps the answers to questions outside of the node, to share or to "
                "script them. It is optional.",
                230,
            ),
            "ask": check_in("my watercolour dog on grass"),
            "clarify": Node("PersonalQClarify", (0, 450), (280, 160)),
            "rewrite": Node(
                "PersonalQTriggerRewrite",
                (680, 505),
                (300, 180),
                {"text": "a watercolour painting of the dog in the mountains"},
            ),
            **OUT,
        },
        [
            "clarify.clarifier ask.clarifier",
            "ask.clip rewrite.clip",
            "ask.selection rewrite.selection",
            "rewrite.conditioning sampler.positive",
            "ask.model sampler.model",
            *CHOSEN,
            *RECOMMENDED,
        ],
    ),
}
_SIDE = {"seed": 4, "control_after_generate": "fixed", "steps": 25, "cfg": 7.0}
TEMPLATES["6-Half-the-memory-PersonalQ"] = Template(
    {
        "note": note(
            "**The same picture twice**: quantized to 8 bits by *TAQ Quantize Model*, and as it "
            "is. Choose your SD 1.5 or SDXL checkpoint below. The bars on the node say how many "
            "bytes each kind of layer takes. LoRAs may come before or after the node: they stay "
            "in full precision.",
            220,
        ),
        "load": Node("CheckpointLoaderSimple", (0, 260), (280, 104), {"ckpt_name": BASE}),
        "settings": Node("PersonalQSettings", (0, 410), (280, 248)),
        "positive": Node(
            "CLIPTextEncode",
            (310, 0),
            (300, 104),
            {"text": "a photo of a brown bear in the forest"},
            title="Prompt",
        ),
        "negative": Node(
            "CLIPTextEncode", (310, 150), (300, 104), {"text": ""}, title="Negative prompt"
        ),
        "latent": Node("EmptyLatentImage", (310, 300), (300, 120)),
        "taq": Node("PersonalQTAQ", (310, 460), (300, 240), {"preset": "W8A8"}),
        "sampler": Node("KSampler", (640, 0), (280, 262), _SIDE, "KSampler, quantized"),
        "decode": Node("VAEDecode", (640, 300), (280, 56)),
        "picture": Node(
            "SaveImage", (640, 400), (280, 300), {"filename_prefix": "quantized"}, "Quantized"
        ),
        "sampler2": Node("KSampler", (950, 0), (280, 262), _SIDE, "KSampler, full precision"),
        "decode2": Node("VAEDecode", (950, 300), (280, 56)),
        "picture2": Node(
            "SaveImage", (950, 400), (280, 300), {"filename_prefix": "full"}, "Full precision"
        ),
    },
    [
        "load.MODEL settings.model",
        "load.MODEL taq.model",
        "load.CLIP positive.clip",
        "load.CLIP negative.clip",
        *RECOMMENDED,
        "positive.CONDITIONING sampler.positive",
        "negative.CONDITIONING sampler.negative",
        "taq.model sampler.model",
        "load.VAE decode.vae",
        "load.MODEL sampler2.model",
        "positive.CONDITIONING sampler2.positive",
        "negative.CONDITIONING sampler2.negative",
        "latent.LATENT sampler2.latent_image",
        *(
            link.replace(" sampler.", " sampler2.")
            for link in RECOMMENDED
            if " sampler." in link and link.startswith("settings")
        ),
        "sampler2.LATENT decode2.samples",
        "load.VAE decode2.vae",
        "decode2.IMAGE picture2.images",
    ],
)


def main(comfyui: Path) -> None:
    """Write all templates, and remove those that are no more."""
    demo = make_demo(ROOT / "out" / "demo").folder
    with (
        tempfile.TemporaryDirectory() as base,
        HostProcess(comfyui, demo, Path(base)) as host,
        sync_playwright() as api,
    ):
        browser = api.chromium.launch(executable_path=installed_browser(), args=BROWSER_ARGUMENTS)
        editor = Editor(browser, host.url, nodes2=False)
        for name, template in TEMPLATES.items():
            saved = build(editor, template)
            (WORKFLOWS / f"{name}.json").write_text(
                json.dumps(saved, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            print(name)
    for file in WORKFLOWS.glob("*.*"):
        if file.stem not in TEMPLATES:
            file.unlink()


def build(editor: Editor, template: Template) -> dict[str, Any]:
    """The workflow of a template, as it is saved."""
    nodes = {name: vars(node) for name, node in template.nodes.items()}
    links = [
        [*start.split("."), *end.split(".")]
        for start, end in (link.split(" ") for link in template.links)
    ]
    ids = editor.page.evaluate(BUILD, [nodes, links])
    saved = {key: value for key, value in editor.saved().items() if value is not None}
    saved["extra"] = {}
    if template.app:
        inputs = [[ids[node], widget] for node, widget in (one.split(".") for one in template.app)]
        saved["extra"] = {
            "linearMode": True,
            "linearData": {"inputs": inputs, "outputs": [ids["picture"]]},
        }
    for node in saved["nodes"]:
        node["size"] = [round(side) for side in node["size"]]
        node["properties"] = {
            key: value for key, value in node["properties"].items() if key == "Node name for S&R"
        }
    return saved


if __name__ == "__main__":
    main(Path(sys.argv[1]).expanduser())
