"""Test a request for a LoRA of Anima or Wan, through TAQ, to a sampled latent in a real ComfyUI.

The models are tiny and of random weights, in the layouts of real ones, with their text encoders.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.demo.host_process import HostProcess, failure, prepare_base_directory
from personalq.tests.host import narrow_host
from personalq.tests.host.graphs import Graph, said
from personalq.tests.host.sampling import relative_error
from personalq.tests.host.split_files import ANIMALS, write_split_model
from personalq.tests.host.test_split_models import latent_of, sampling

FAMILIES = ["anima", "wan", "wan21-1.3b", "wan22-5b"]
JOINT = {"flux1": "Flux", "qwen-image": "QwenImage", "z-image": "ZImage"}
"""Base model with joint attention -> what the host calls it."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ComfyUI's models folder, with a tiny model and a LoRA of each family."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "checkpoints").mkdir()
    for base_model in (*FAMILIES, *JOINT):
        write_split_model(folder, base_model)
    return folder


@pytest.fixture(scope="module")
def host(comfyui: Path, models: Path, tmp_path_factory) -> Iterator[HostProcess]:
    """ComfyUI, with sizes narrowed that it fixes."""
    base = prepare_base_directory(tmp_path_factory.mktemp("comfyui"))
    pack = base / "custom_nodes" / "narrow_host.py"
    pack.write_text(
        Path(narrow_host.__file__).read_text() + "\n\ninstall()\nNODE_CLASS_MAPPINGS = {}\n"
    )
    with HostProcess(comfyui, models, base) as process:
        yield process


def quantized(request: str, preset: str, protect: str = "trigger + BOS") -> Graph:
    """Check-in, TAQ, two steps, and the latent as a file."""
    graph = sampling(request)
    inputs = {"model": ["2", 0], "preset": preset, "protect": protect, "quantizer": "uniform"}
    graph["taq"] = {"class_type": "PersonalQTAQ", "inputs": inputs}
    graph["sample"]["inputs"]["model"] = ["taq", 0]
    return graph


def drawn(host: HostProcess, graph: Graph) -> torch.Tensor:
    entry = host.prompt(graph, "client")
    assert failure(entry) is None, host.tail(60)
    return latent_of(host, entry)


@pytest.mark.parametrize("base_model", FAMILIES)
def test_a_request_becomes_a_latent_of_the_quantized_model(host, base_model):
    request = f"my {ANIMALS[base_model]} in the snow"
    whole = drawn(host, sampling(request))
    entry = host.prompt(quantized(request, "W8A8"), "client")
    assert failure(entry) is None, host.tail(60)
    assert said(entry)["prompt"] == f"<{ANIMALS[base_model]}> in the snow"
    assert said(entry, "taq")["why"].startswith("W8A8: ")
    assert "trigger + padding" in said(entry, "taq")["why"]
    notes = said(entry, "taq")["notes"]
    assert not [note for note in notes if "could not" in note]
    assert any("LoRAs: " in note for note in notes)
    assert 0 < relative_error(latent_of(host, entry), whole) < 0.1


@pytest.mark.parametrize("base_model", FAMILIES)
def test_the_triggers_tokens_reach_the_attention(host, base_model):
    """At 4 bits it matters whether they are exact."""
    request = f"my {ANIMALS[base_model]} in the snow"
    by_trigger, by_nothing = (
        drawn(host, quantized(request, "W8A4", protect)) for protect in ("trigger", "none")
    )
    assert not torch.equal(by_trigger, by_nothing)


@pytest.mark.parametrize(("base_model", "name"), list(JOINT.items()))
def test_joint_attention_is_refused_with_what_to_use_instead(host, base_model, name):
    request = f"my {ANIMALS[base_model]} in the snow"
    text = failure(host.prompt(quantized(request, "W8A8"), "client"))
    assert f"TAQ does not support this model ({name}). It runs SD 1.5 " in text
    assert "Anima, Wan 2.1, Wan 2.2. Run this model without TAQ; if it is too large" in text
    assert "fp8 file" in text
