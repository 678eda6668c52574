"""The nodes under the host's dynamic VRAM."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.sd
import folder_paths

from personalq.nodes.calibrate import Calibrate
from personalq.nodes.host.models.pool import POOL
from personalq.nodes.host.taq import run_report
from personalq.nodes.host.taq.plain_unet import plain_unet
from personalq.nodes.sensitivity import Sensitivity
from personalq.nodes.taq import TAQ
from personalq.taq_kernels.backends import operators, registry
from personalq.tests.host.sampling import encode, relative_error, sample
from personalq.tests.host.taq import transformers
from personalq.tests.host.taq.dynamic import DynamicOnCPU, dynamic_vram  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("dynamic_vram", "unseen")


@pytest.fixture
def unseen(tmp_path, monkeypatch):
    """Nothing was counted, quantized or calibrated before."""
    monkeypatch.setattr(folder_paths, "models_dir", str(tmp_path))
    POOL.forget(lambda key: True)
    for node in (TAQ, Calibrate, Sensitivity):
        monkeypatch.setattr(node, "hidden", SimpleNamespace(unique_id=None))


@pytest.fixture
def loaded(base_file, dynamic_vram):  # noqa: F811
    """(MODEL, CLIP, VAE) as the host's stock loader gives them under dynamic VRAM."""
    model, clip, vae, _ = comfy.sd.load_checkpoint_guess_config(
        str(base_file), embedding_directory=None
    )
    assert isinstance(model, DynamicOnCPU)
    return model, clip, vae


@pytest.fixture
def prompts(base):
    return encode(base[1], "a photo of a bear"), encode(base[1], "")


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
@pytest.mark.parametrize("protect", ["all", "trigger + BOS"])
def test_taq_quantizes_and_samples(loaded, prompts, preset, protect):
    model, *_ = loaded
    with torch.inference_mode():
        out, report = TAQ.execute(model, preset, protect, "uniform").result
    assert "bit operations of a step" in report
    error = relative_error(sample(out, *prompts), sample(model, *prompts))
    assert 0 < error < {"W8A8": 0.1, "W4A8": 0.3}[preset]


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
@pytest.mark.parametrize("name", ["anima", "wan21-t2v", "wan21-i2v", "wan22-5b"])
def test_taq_quantizes_transformers_and_samples(name, preset):
    model = transformers.load(name)
    assert isinstance(model, DynamicOnCPU)
    prompts = transformers.prompt(name, 1), transformers.prompt(name, 2, 3, ())
    with torch.inference_mode():
        out, report = TAQ.execute(model, preset, "trigger + BOS", "uniform").result
    assert "bit operations of a step" in report
    quantized, exact = (transformers.sample(each, name, *prompts) for each in (out, model))
    assert 0 < relative_error(quantized, exact) < {"W8A8": 0.05, "W4A8": 0.3}[preset]
    lora = transformers.lora_of(name, "kohya, musubi")
    personal = comfy.sd.load_lora_for_models(out, None, lora, 1.0, 0)[0]
    assert relative_error(transformers.sample(personal, name, *prompts), quantized) > 0.05


def test_calibrate_says_which_models_it_cannot_learn():
    model = transformers.load("anima")
    with pytest.raises(ValueError, match="learns the rounding of UNets only"):
        Calibrate.execute(model, None, "W4A8", "adaround", "sks", "bear", 1, 1, 0.01, 64)


def test_calibrate_learns_on_one_device(loaded):
    model, clip, _ = loaded
    layers = "middle_block.1.transformer_blocks.0.ff.*: 4\n*: keep"
    with torch.inference_mode():
        result = Calibrate.execute(
            model, clip, "W4A8", "adaround", "sks", "bear", 1, 1, 0.01, 64, layers
        ).result
    assert "calibrated by adaround" in result[0]


def test_sensitivity_draws_its_pictures(loaded, prompts):
    model, clip, vae = loaded
    with torch.inference_mode():
        chart, *_ = Sensitivity.execute(
            model, clip, vae, "sks", prompts[1], "2", 0, 1, 1, 7.0, 64, 64
        ).result
    assert torch.isfinite(chart).all()


def test_a_count_that_fails_does_not_lose_the_model(loaded, prompts, monkeypatch):
    def broken(*args):
        raise RuntimeError("no such layer")

    monkeypatch.setattr(run_report, "count", broken)
    model, *_ = loaded
    with torch.inference_mode():
        out, report = TAQ.execute(model, "W8A8", "all", "uniform").result
    assert "bit operations could not be counted (RuntimeError: no such layer)" in report
    assert torch.isfinite(sample(out, *prompts)).all()


def test_a_report_that_fails_does_not_lose_the_model(loaded, prompts, monkeypatch):
    from personalq.nodes.host.taq import model as taq_model

    def broken(*args, **kwargs):
        raise RuntimeError("cannot count this")

    monkeypatch.setattr(taq_model.Report, "of", broken)
    model, *_ = loaded
    with torch.inference_mode():
        out, report = TAQ.execute(model, "W8A8", "all", "uniform").result
    assert "The report could not be made (RuntimeError: cannot count this)" in report
    assert torch.isfinite(sample(out, *prompts)).all()


@pytest.mark.filterwarnings("ignore:for .*meta parameter")
def test_the_plain_unet_is_on_the_device_it_was_made_for(loaded):
    """`meta` stands for a GPU: the host's own Linear would take its weights where they come
    from.
    """
    model, *_ = loaded
    unet = plain_unet(model, "meta")
    unet.load_state_dict(
        {name: weight.clone() for name, weight in model.model.diffusion_model.state_dict().items()}
    )
    assert {weight.device.type for weight in unet.parameters()} == {"meta"}


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_norms_run_with_their_convolutions(loaded, prompts, monkeypatch, preset):
    """On an emulated GPU with Triton, the operators' references on the CPU."""
    model, *_ = loaded
    with torch.inference_mode():
        out, _ = TAQ.execute(model, preset, "all", "uniform").result
    machine = registry.Machine("cuda", (8, 9), (3, 6), "eager")
    monkeypatch.setattr(registry, "machine", lambda _: machine)
    calls, run = [], operators.normed_conv2d_int8
    monkeypatch.setattr(
        operators, "normed_conv2d_int8", lambda *given: calls.append(given) or run(*given)
    )
    error = relative_error(sample(out, *prompts), sample(model, *prompts))
    assert len(calls) > 10
    assert 0 < error < {"W8A8": 0.1, "W4A8": 0.3}[preset]
