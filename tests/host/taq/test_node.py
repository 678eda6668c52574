"""The nodes TAQ Quantize Model and Trigger Rewrite in a running ComfyUI."""

from __future__ import annotations

import pytest

from personalq.demo.host_process import failure
from personalq.tests.host.graphs import check_in, ran, said
from personalq.tests.int8 import presets_here

CLEAR = "my latest realistic bear on forest grass"


def with_taq(request: str, *, selection: bool = True, **inputs):
    """Check-in, TAQ, and what shows its report."""
    graph = check_in(request)
    chosen = {
        "model": ["2", 0],
        "preset": "W8A8",
        "protect": "trigger + BOS",
        "quantizer": "uniform",
    } | inputs
    if selection:
        chosen["selection"] = ["2", 5]
    graph["4"] = {"class_type": "PersonalQTAQ", "inputs": chosen}
    graph["3"] = {"class_type": "PreviewAny", "inputs": {"source": ["4", 1]}}
    return graph


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_report_counts_bytes_and_says_what_is_native(host, preset):
    entry = host.prompt(with_taq(CLEAR, preset=preset), "client")
    payload = said(entry, "4")
    report = payload["report"]
    assert report["bytes_after"] < 0.6 * report["bytes_before"]
    assert report["precision"]["kind"] in ("native", "simulated")
    assert report["precision"]["why"]
    assert preset in payload["why"]
    text = entry["outputs"]["3"]["text"][0]
    assert "resblock conv" in text
    assert "feed-forward" in text


def test_four_bits_take_less_than_eight(host):
    eight, four = (
        said(host.prompt(with_taq(CLEAR, preset=preset), "client"), "4")["report"]["bytes_after"]
        for preset in ("W8A8", "W4A8")
    )
    assert four < eight


@pytest.mark.parametrize(("request_text", "size"), [(CLEAR, 0), (f"{CLEAR}, low memory", 1)])
def test_serving_plan_chooses_the_preset(host, request_text, size):
    entry = host.prompt(with_taq(request_text, preset="serving plan"), "client")
    assert said(entry, "4")["report"]["preset"] == presets_here()[size]


def test_serving_plan_passes_on_what_is_quantized_already(host):
    graph = with_taq(CLEAR)
    again = graph["4"]["inputs"] | {"model": ["4", 0], "preset": "serving plan"}
    graph["5"] = {"class_type": "PersonalQTAQ", "inputs": again}
    graph["3"]["inputs"]["source"] = ["5", 1]
    entry = host.prompt(graph, "client")
    assert failure(entry) is None
    why = "Not quantized. This model is quantized already. Connect the full-precision model"
    assert said(entry, "5")["why"].startswith(why)
    graph["5"]["inputs"]["preset"] = "W8A8"
    assert "quantized already" in failure(host.prompt(graph, "client"))


def test_serving_plan_without_a_selection_says_what_to_do(host):
    entry = host.prompt(with_taq(CLEAR, preset="serving plan", selection=False), "client")
    assert "needs Repo Check-in's selection: connect it, or choose another preset" in failure(entry)


@pytest.mark.parametrize("protect", ["trigger + BOS", "trigger", "BOS", "none", "all"])
def test_every_protection_is_offered_and_said(host, protect):
    assert protect in said(host.prompt(with_taq(CLEAR, protect=protect), "client"), "4")["why"]


@pytest.mark.parametrize(("protect", "bits"), [("all", None), ("trigger + BOS", 8)])
def test_with_all_tokens_protected_nothing_in_attention_is_quantized(host, protect, bits):
    attention = said(host.prompt(with_taq(CLEAR, protect=protect), "client"), "4")["report"][
        "attention"
    ]
    assert attention["q_bits"] == attention["kv_bits"] == attention["a_bits"] == bits
    assert (attention["backend"] == "the host's attention") == (bits is None)


def test_the_report_says_what_a_prompt_without_a_trigger_keeps(host):
    """The node does not know the prompts that will be drawn."""
    default = host.get("/object_info/PersonalQTAQ")["PersonalQTAQ"]["input"]["required"]["protect"]
    assert default[1]["default"] == "trigger + BOS"
    why = said(host.prompt(with_taq(CLEAR, preset="W4A8"), "client"), "4")["why"]
    assert "trigger + BOS (BOS alone in a prompt without a marked trigger)" in why
    assert (
        "nothing there is quantized"
        in said(host.prompt(with_taq(CLEAR, preset="W8"), "client"), "4")["why"]
    ), "weights alone"


def test_unknown_preset_is_refused_before_anything_runs(host):
    with pytest.raises(Exception, match="Value not in list"):
        host.prompt(with_taq(CLEAR, preset="W2A2"), "client")


def test_trigger_rewrite_puts_the_trigger_into_any_text(host):
    graph = check_in(CLEAR)
    graph["4"] = {
        "class_type": "PersonalQTriggerRewrite",
        "inputs": {
            "clip": ["2", 1],
            "selection": ["2", 5],
            "text": "two bears, (a bear:1.2) on the moon",
        },
    }
    graph["3"] = {"class_type": "PreviewAny", "inputs": {"source": ["4", 1]}}
    entry = host.prompt(graph, "client")
    assert entry["outputs"]["3"]["text"] == ["two <bear-v4> , (a <bear-v4> :1.2) on the moon"]
    assert said(entry, "4")["why"] == "<bear-v4> is tokens 2-7, 10-15 of the prompt."


@pytest.mark.parametrize(
    "inputs",
    [
        {"protect": "EOS", "scales": "per tensor"},
        {"protect": "as measured", "quantizer": "log"},
        {"preset": "W4A4", "protect": "random rows", "layers": "*.ff.*: keep\n*.attn1.*: 8"},
        {"preset": "W4"},
    ],
)
def test_every_control_is_one_input_away(host, inputs):
    """And the picture is drawn."""
    graph = with_taq(CLEAR, **inputs)
    graph["3"] = {"class_type": "PreviewAny", "inputs": {"source": ["4", 1]}}
    graph["n"] = {"class_type": "CLIPTextEncode", "inputs": {"clip": ["2", 1], "text": ""}}
    graph["e"] = {
        "class_type": "EmptyLatentImage",
        "inputs": {"width": 64, "height": 64, "batch_size": 1},
    }
    sampler = {
        "seed": 1,
        "steps": 1,
        "cfg": 7.0,
        "sampler_name": "euler",
        "scheduler": "normal",
        "denoise": 1.0,
    }
    links = {
        "model": ["4", 0],
        "positive": ["2", 3],
        "negative": ["n", 0],
        "latent_image": ["e", 0],
    }
    graph["s"] = {"class_type": "KSampler", "inputs": sampler | links}
    graph["d"] = {"class_type": "VAEDecode", "inputs": {"samples": ["s", 0], "vae": ["2", 2]}}
    graph["p"] = {"class_type": "PreviewImage", "inputs": {"images": ["d", 0]}}
    entry = host.prompt(graph, "client")
    assert failure(entry) is None
    assert entry["outputs"]["p"]["images"]
    assert "bit operations of a step" in entry["outputs"]["3"]["text"][0]
    assert "LoRAs:" in entry["outputs"]["3"]["text"][0]


def test_a_wrong_pattern_is_said(host):
    assert "no layer is called nothing" in failure(
        host.prompt(with_taq(CLEAR, layers="nothing: 8"), "client")
    )


def test_calibrated_rounding_that_nobody_made_says_what_to_do(host):
    assert "Run TAQ Calibrate" in failure(host.prompt(with_taq(CLEAR, rounding="brecq"), "client"))


def test_calibrate_and_use_it(host):
    layers = "middle_block.1.transformer_blocks.0.ff.*: 4\n*: keep"
    graph = check_in(CLEAR)
    small = {"prompts": 1, "iterations": 1, "learning_rate": 0, "pixels": 64, "layers": layers}
    names = {"bits": "W4A8", "method": "adaround", "trigger": "", "noun": ""}
    links = {"model": ["2", 0], "clip": ["2", 1], "selection": ["2", 5]}
    graph["4"] = {"class_type": "PersonalQCalibrate", "inputs": small | names | links}
    entry = host.prompt(graph, "client")
    assert failure(entry) is None
    assert "choose the rounding 'adaround'" in said(entry, "4")["why"]
    use = with_taq(CLEAR, preset="W4A8", rounding="adaround", layers=layers)
    assert failure(host.prompt(use, "client")) is None
    assert not ran(host.prompt(use, "client"))
    graph["4"]["inputs"]["iterations"] = 2
    host.prompt(graph, "client")
    assert "4" in ran(host.prompt(use, "client"))


def test_sensitivity_draws_its_chart(host):
    graph = check_in(CLEAR)
    graph["n"] = {"class_type": "CLIPTextEncode", "inputs": {"clip": ["2", 1], "text": ""}}
    links = {
        "model": ["2", 0],
        "clip": ["2", 1],
        "vae": ["2", 2],
        "negative": ["n", 0],
        "selection": ["2", 5],
    }
    small = {
        "text": "<bear-v4>",
        "bits": "2",
        "seed": 0,
        "seeds": 1,
        "steps": 1,
        "cfg": 7.0,
        "width": 64,
        "height": 64,
    }
    graph["4"] = {"class_type": "PersonalQSensitivity", "inputs": links | small}
    graph["3"] = {"class_type": "PreviewAny", "inputs": {"source": ["4", 2]}}
    entry = host.prompt(graph, "client")
    assert failure(entry) is None
    shown = said(entry, "4")
    assert shown["why"].endswith("changes the picture most.")
    table = entry["outputs"]["3"]["text"][0].splitlines()
    assert table[0] == "token\tpositions\terror"
    assert [line.split("\t")[0] for line in table[1:4]] == ["start", "<", "bear"]
    bars = [f"{each['label']}\t{each['rows']}\t{each['error']:.3e}" for each in shown["tokens"]]
    assert bars == table[1:]
    assert any(each["trigger"] for each in shown["tokens"])
