"""Test calibrated rounding on a real MODEL.

It is recorded on the model's own pictures, can be stopped and resumed, and TAQ finds it.
"""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import folder_paths
from comfy.model_patcher import ModelPatcher

from personalq.nodes.host.taq import calibration
from personalq.nodes.host.taq.calibration import Effort, calibrate_model, record_calls
from personalq.nodes.host.taq.files import folder
from personalq.nodes.host.taq.model import QuantConfig, quantize_model
from personalq.taq_kernels import PRESETS

# All but one block stay in full precision: what is tested here is the way, not the learning.
LAYERS = (("middle_block.1.*", 4), ("*", None))
CONFIG = QuantConfig(PRESETS["W4A8"], LAYERS)
SMALL = Effort(iterations=2, learning_rate=1e-2, pixels=64)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(folder_paths, "models_dir", str(tmp_path))


def test_calls_hold_the_prompt_and_the_empty_prompt_at_different_steps(base):
    model, clip, _ = base
    calls = record_calls(model, clip, ["a bear", "a dog", "a cat"], SMALL)
    assert len(calls) == 3
    for (x, time), kwargs in calls:
        assert x.shape == (2, 4, 8, 8)
        assert time.shape == (2,)
        assert kwargs["context"].shape == (2, 77, 768)
    assert len({float(time[0]) for (_, time), _ in calls}) > 1


def test_short_of_memory_the_calls_hold_both_prompts_too(base, monkeypatch):
    """The host then calls the model for each prompt apart."""
    model, clip, _ = base
    monkeypatch.setattr(ModelPatcher, "get_free_memory", lambda *_: 0)
    ((x, time), kwargs), *others = record_calls(model, clip, ["a bear"], SMALL)
    assert not others
    assert (len(x), len(time), len(kwargs["context"])) == (2, 2, 2)
    assert not torch.equal(*kwargs["context"])


class Stopped(Exception):
    """What a user does who presses stop."""


def test_stopped_continued_and_found(base, monkeypatch):
    model, clip, _ = base
    seen = []

    def stop(done, total, name, *errors):
        seen.append(name)
        raise Stopped

    with pytest.raises(Stopped):
        calibrate_model(model, clip, ["a bear"], CONFIG, "brecq", SMALL, stop)
    assert list((folder() / "calibration").iterdir())
    # Sampled anew on other threads, the calls have other bits: what was learned were refused.
    monkeypatch.setattr(calibration, "record_calls", None)
    made = calibrate_model(model, clip, ["a bear"], CONFIG, "brecq", SMALL)
    assert made.blocks[0].name == seen[0]
    assert all(block.error_after <= block.error_before for block in made.blocks)
    assert not list((folder() / "calibration").iterdir())

    nearest = quantize_model(model, CONFIG, lambda *step: None).patcher.model.diffusion_model
    found = quantize_model(
        model, QuantConfig(CONFIG.preset, LAYERS, "brecq"), lambda *step: None
    ).patcher.model.diffusion_model
    layer = "middle_block.1.transformer_blocks.0.ff.net.2"
    assert found.get_submodule(layer).quant_format == nearest.get_submodule(layer).quant_format
    assert torch.equal(found.get_submodule("out.2").weight, nearest.get_submodule("out.2").weight)
