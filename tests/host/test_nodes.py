"""Test what a running ComfyUI says of the nodes.

Ids never change, every input and output has a tooltip, and every node a help page.
"""

from __future__ import annotations

import urllib.request

import pytest

NODES = {
    "PersonalQCheckIn": (
        "Repo Check-in",
        "request repository base_model reasoner clarifier chosen whole_prompt model clip "
        "vae draw_what_fits answers each_in_its_place".split(),
        "MODEL CLIP VAE CONDITIONING STRING SELECTION LORA_STACK PERSONALQ_SETTINGS".split(),
    ),
    "PersonalQClarify": ("Clarify", ["answer", "when_unsure"], ["CLARIFIER"]),
    "PersonalQTriggerRewrite": (
        "Trigger Rewrite",
        ["clip", "selection", "text"],
        ["CONDITIONING", "STRING"],
    ),
    "PersonalQSettings": (
        "Recommended Settings",
        ["selection", "model", "settings"],
        ["INT", "INT", "INT", "FLOAT", "COMBO", "COMBO", "INT", "STRING"],
    ),
    "PersonalQDescribe": (
        "Describe Models",
        ["repository", "describer", "models", "pictures", "side", "limit"],
        ["STRING"],
    ),
    "PersonalQTAQ": (
        "TAQ Quantize Model",
        ["model", "preset", "protect", "quantizer", "selection", "scales", "rounding", "layers"],
        ["MODEL", "STRING"],
    ),
    "PersonalQSensitivity": (
        "TAQ Sensitivity",
        "model clip vae text negative bits seed seeds steps cfg width height selection".split(),
        ["IMAGE", "IMAGE", "STRING"],
    ),
    "PersonalQCalibrate": (
        "TAQ Calibrate",
        "model clip bits method trigger noun prompts iterations learning_rate pixels layers "
        "selection".split(),
        ["STRING"],
    ),
}


@pytest.fixture(scope="module")
def info(host) -> dict:
    return host.get("/object_info")


def test_these_nodes_and_no_others(info):
    ours = {
        name
        for name, node in info.items()
        if node["python_module"].startswith("custom_nodes.personalq")
    }
    assert ours == set(NODES)


@pytest.mark.parametrize("name", NODES)
def test_title_inputs_and_outputs_are_what_saved_workflows_rely_on(info, name):
    title, inputs, outputs = NODES[name]
    node = info[name]
    assert node["display_name"] == title
    assert node["category"] == "PersonalQ"
    assert [*node["input"]["required"], *node["input"].get("optional", {})] == inputs
    assert ["COMBO" if isinstance(one, list) else one for one in node["output"]] == outputs
    assert node["description"]
    assert node["search_aliases"]


@pytest.mark.parametrize("name", NODES)
def test_every_input_and_output_has_a_tooltip(info, name):
    node = info[name]
    for inputs in node["input"].values():
        for key, spec in inputs.items():
            if spec and isinstance(spec, list) and len(spec) > 1:
                assert spec[1]["tooltip"], key
            else:
                assert key in ("unique_id", "prompt", "extra_pnginfo"), key
    assert len(node["output_tooltips"]) == len(node["output"])
    assert all(node["output_tooltips"])


@pytest.mark.parametrize("name", NODES)
def test_every_node_has_a_help_page(host, info, name):
    with urllib.request.urlopen(
        f"{host.url}/extensions/personalq/docs/{name}.md", timeout=30
    ) as answer:
        page = answer.read().decode()
    node = info[name]
    assert len(page) > 400
    for key in [*node["input"]["required"], *node["input"].get("optional", {})]:
        assert key.replace("_", " ") in page.replace("_", " ").lower(), (
            f"{name}.md does not explain {key}"
        )


def test_the_pack_loads_without_a_warning(host):
    start = host.log.partition("got prompt")[0]
    lines = [line for line in start.splitlines() if "personalq" in line.lower()]
    assert lines
    assert not [
        line
        for line in lines
        if "error" in line.lower() or "fail" in line.lower() or "skip" in line.lower()
    ]
