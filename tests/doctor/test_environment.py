"""The facts for a report, here and, by emulation, on a GPU."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from personalq.doctor import environment
from personalq.taq_kernels.backends import registry
from personalq.taq_kernels.backends.registry import Machine


def test_on_a_cpu():
    facts = environment.facts(torch.device("cpu"), "0.33.0")
    assert facts["ComfyUI"] == "0.33.0"
    assert facts["device"] == "cpu"
    assert facts["torch"] == str(torch.__version__)
    assert facts["comfy-kitchen"]
    assert facts["comfy-kitchen backends"]["eager"] == "on"
    assert facts["who computes"]["Conv2d 8-bit"].startswith(registry.TAPS)
    assert "GPU" not in facts
    assert environment.facts(torch.device("cpu"), None)["ComfyUI"] == "not found"


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (
            Machine("cuda", (8, 9), (3, 6), "cuda"),
            ["comfy-kitchen cuda", "comfy-kitchen cuda", registry.TRITON_CONV],
        ),
        (Machine("cuda", (8, 9), None, "eager"), [registry.FLOAT, registry.FLOAT, registry.FLOAT]),
    ],
)
def test_on_a_gpu(monkeypatch, at, expected):
    about = SimpleNamespace(
        name="NVIDIA GeForce RTX 4090", total_memory=24 * 2**30, multi_processor_count=128
    )
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: about)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (8, 9))
    monkeypatch.setattr(registry, "machine", lambda device: at)
    facts = environment.facts(torch.device("cuda", 0), "0.33.0")
    assert facts["GPU"] == "NVIDIA GeForce RTX 4090"
    assert facts["compute capability"] == "8.9"
    assert facts["GPU memory, MiB"] == 24 * 1024
    said = list(facts["who computes"].values())[:3]
    assert [answer.split(": ")[0] for answer in said] == expected
