"""Test the comparison of TAQ with other tools, on a small UNet of diffusers."""

from __future__ import annotations

import copy
import json
import math
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

pytest.importorskip(
    "diffusers", reason="diffusers is not installed: python quickstart.py test installs it"
)

from personalq.bench.skeleton import random_half
from personalq.bench.taq import bnb, command, gguf_style, measure
from personalq.bench.taq.contender import Contender, layers, missing
from personalq.bench.taq.inputs import Eps, make_inputs, predict, relative_errors
from personalq.bench.taq.stored import stored_bytes
from personalq.bench.taq.unets import CONFIGS, build_unet
from personalq.bench.unet_shapes import UNetConfig, unet_shapes
from personalq.checkin.decision.serving.plan import STORED
from personalq.taq_kernels import quantize_
from personalq.tests.int8 import presets_here

CPU = torch.device("cpu")
CONTENDERS = {contender.name: contender for contender in command.contenders(CPU)}
SIDE = 64
TINY = UNetConfig(
    channel_mult=(1, 2, 4),
    res_blocks=1,
    depth=(1, 1, 0),
    depth_middle=1,
    context_dim=128,
    model_channels=64,
)


@pytest.fixture(scope="module")
def unet() -> nn.Module:
    return build_unet("tiny")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """One run of everything."""
    return command.run(
        "tiny", SIDE, repeats=1, out=tmp_path_factory.mktemp("taq") / "run.json", device="cpu"
    )


class OneLayer(nn.Module):
    """A UNet of one Linear, 256 to 64, without bias."""

    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Module()
        self.block.proj_in = nn.Linear(256, 64, bias=False)


def runnable(name: str) -> Contender:
    contender = CONTENDERS[name]
    if contender.reasons():
        pytest.skip("; ".join(contender.reasons()))
    return contender


@pytest.mark.parametrize(("model", "parameters"), [("sd15", 859_520_964), ("sdxl", 2_567_463_684)])
def test_the_configurations_are_those_of_the_published_models(model: str, parameters: int) -> None:
    from diffusers import UNet2DConditionModel

    with torch.device("meta"):
        unet = UNet2DConditionModel(**CONFIGS[model])
    assert sum(parameter.numel() for parameter in unet.parameters()) == parameters


def test_a_seed_gives_the_same_unet_and_inputs_and_the_text_matters(unet: nn.Module) -> None:
    again = build_unet("tiny")
    assert all(
        torch.equal(a, b) for a, b in zip(unet.parameters(), again.parameters(), strict=True)
    )
    eps = predict(unet, make_inputs(unet, SIDE, seed=1))
    assert torch.equal(eps.cond, predict(again, make_inputs(again, SIDE, seed=1)).cond)
    assert torch.dist(eps.cond, eps.uncond) > 0.1 * eps.uncond.norm()
    assert not torch.equal(
        eps.cond, predict(build_unet("tiny", seed=1), make_inputs(unet, SIDE, seed=1)).cond
    )


def test_sdxl_gets_its_added_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    small = {
        "block_out_channels": (32, 64, 64),
        "cross_attention_dim": 64,
        "attention_head_dim": (2, 2, 2),
    }
    monkeypatch.setitem(
        CONFIGS, "small sdxl", CONFIGS["sdxl"] | small | {"transformer_layers_per_block": (1, 1, 1)}
    )
    unet = build_unet("small sdxl")
    inputs = make_inputs(unet, SIDE)
    assert inputs.pooled is not None
    assert inputs.pooled.shape == (2, 1280)
    assert predict(unet, inputs).guided.shape == (4, SIDE // 8, SIDE // 8)


def test_errors_are_of_each_branch_by_itself() -> None:
    exact = Eps(torch.full((4,), 2.0), torch.full((4,), 1.0))
    errors = relative_errors(Eps(torch.full((4,), 2.2), torch.full((4,), 1.0)), exact)
    assert errors == pytest.approx({"cond": 0.1, "uncond": 0, "guided": 7.5 * 0.2 / 8.5})


def test_the_weights_of_a_single_file_checkpoint_are_used(tmp_path: Path) -> None:
    """Random weights in the names of the original layout, one level of which is checked against
    diffusers' names.
    """
    draw = random_half(seed=3)
    weights = {
        f"model.diffusion_model.{name}": draw(name, shape)
        for name, shape in unet_shapes(TINY).items()
    }
    save_file(weights, tmp_path / "mine.safetensors")
    unet = build_unet("tiny", checkpoint=tmp_path / "mine.safetensors")
    stored = weights["model.diffusion_model.middle_block.1.transformer_blocks.0.attn2.to_k.weight"]
    assert torch.equal(
        unet.get_parameter("mid_block.attentions.0.transformer_blocks.0.attn2.to_k.weight"),
        stored.float(),
    )


def test_every_contender_runs_or_says_why_not(result: dict) -> None:
    can = {name for name, contender in CONTENDERS.items() if not contender.reasons()}
    assert set(result["rows"]) == can | {measure.FLOAT}
    assert set(result["not run"]) == set(CONTENDERS) - can
    assert not any(
        "failed" in reason for reasons in result["not run"].values() for reason in reasons
    )


def test_errors_are_small_at_8_bits_and_larger_at_4(result: dict) -> None:
    rows = result["rows"]
    pairs = [
        ("TAQ W8A8", "TAQ W4A8"),
        ("TAQ W8", "TAQ W4"),
        ("ComfyUI int8_tensorwise", "ComfyUI asym_w4a8_int8"),
    ]
    pairs += [("GGUF Q8_0", "GGUF Q4_0"), ("optimum-quanto qint8", "optimum-quanto qint4")]
    for eight, four in pairs:
        if eight in rows:
            for branch in ("cond", "uncond", "guided"):
                assert 0 < rows[eight]["errors"][branch] < 0.15, eight
                assert rows[eight]["errors"][branch] < rows[four]["errors"][branch], four
            assert rows[four]["bytes"] < rows[eight]["bytes"] < rows[measure.FLOAT]["bytes"]


def test_times_are_ratios_of_medians(result: dict) -> None:
    for name, row in result["rows"].items():
        if name != measure.FLOAT:
            assert row["ratio"] == pytest.approx(row["seconds"][0] / row["float_seconds"][0])


def test_the_table_shows_every_row_what_is_simulated_and_what_did_not_run(result: dict) -> None:
    text = command.report(result)
    for name, row in result["rows"].items():
        assert f"| {name}{' (simulated)' if row['simulated'] else ''} |" in text
    assert all(
        f"- {name}: {'; '.join(reasons)}" in text for name, reasons in result["not run"].items()
    )
    assert "TAQ W4A4 (simulated)" in text
    assert ("TAQ W8A8 (simulated)" in text) == (presets_here() == STORED)
    assert "seed 0" in text
    assert torch.__version__ in text
    assert f"{torch.get_num_threads()} threads" in text


VALUES = 256 * 64
HAND_COUNTED = {
    "ComfyUI int8_tensorwise": VALUES + 4,
    "ComfyUI int8_tensorwise, convrot": VALUES + 4 * 64,
    # Two codes a byte, an fp8 scale for 16 values, and a float32 scale for each output; the
    # codebook comes on top.
    "ComfyUI asym_w4a8_int8": VALUES // 2 + VALUES // 16 + 4 * 64,
    "GGUF Q8_0": VALUES // 32 * 34,
    "GGUF Q4_0": VALUES // 32 * 18,
    # An int8 zero point beside each float32 scale.
    "torchao int8 dynamic": VALUES + (4 + 1) * 64,
    # Scales in the model's dtype, and two of the layer itself for activations, which are not
    # quantized.
    "optimum-quanto qint8": VALUES + 2 * 64 + 2 * 2,
    # Groups of 128 with a scale and a shift.
    "optimum-quanto qint4": VALUES // 2 + VALUES // 128 * 2 * 2 + 2 * 2,
}


@pytest.mark.parametrize("name", HAND_COUNTED)
def test_stored_bytes_of_one_layer(name: str) -> None:
    contender = runnable(name)
    torch.manual_seed(0)
    quantized = contender.apply(OneLayer().requires_grad_(False))
    codebook = 16 * 4 if "asym" in name else 0
    counted = stored_bytes(quantized, contender.scales_in_model_dtype)
    assert HAND_COUNTED[name] <= counted <= HAND_COUNTED[name] + codebook


def test_floating_point_counts_two_bytes_a_value() -> None:
    assert stored_bytes(OneLayer()) == stored_bytes(OneLayer().half()) == 2 * VALUES


def test_taq_counts_as_its_own_report(unet: nn.Module, result: dict) -> None:
    report = quantize_(copy.deepcopy(unet), "W4A8")
    assert report.bytes_after == result["rows"]["TAQ W4A8"]["bytes"]


def test_while_sampling_taq_holds_rows_in_place_of_the_projections(
    unet: nn.Module, result: dict
) -> None:
    row = result["rows"]["TAQ W8A8"]
    widths = [
        layer.out_features for name, layer in layers(unet, nn.Linear) if name.endswith("attn2.to_k")
    ]
    dropped = 2 * 2 * 128 * sum(widths)
    rows = row["sampling_bytes"] - (row["bytes"] - dropped)
    # BOS at two bytes a value; 76 tokens at one, with a scale and a zero point; a mask.
    assert rows == sum(2 * 2 * (2 * width + 76 * (width + 4 + 1) + 77) for width in widths)


def test_gguf_blocks_decode_as_the_gguf_package_decodes_them() -> None:
    gguf = pytest.importorskip(
        "gguf", reason="gguf is not installed: python quickstart.py test installs it"
    )
    weight = torch.randn(64, 96, 3, 3, generator=torch.Generator().manual_seed(0))
    for kind in ("Q8_0", "Q4_0"):
        blocks = gguf_style.encode(weight, kind)
        expected = gguf.dequantize(blocks.numpy(), gguf.GGMLQuantizationType[kind])
        assert torch.equal(gguf_style.decode(blocks, kind), torch.from_numpy(expected))


def test_a_package_that_is_not_installed_is_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert missing("json") == []
    assert missing("importlib.util") == []
    assert missing("no_such_package.part") == ["the package no_such_package.part is not installed"]
    monkeypatch.setitem(sys.modules, "gguf", None)
    run = measure.measure(settings(), [CONTENDERS["GGUF Q8_0"]], tmp_path / "run.json")
    assert run["not run"] == {"GGUF Q8_0": ["the package gguf is not installed"]}
    assert "Not run here" in command.report(run)


def test_bitsandbytes_is_for_cuda() -> None:
    assert all("its kernels are compared on CUDA alone" in c.reasons() for c in bnb.contenders(CPU))


def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "run.json"
    w8 = runnable("TAQ W8")

    def stop(unet: nn.Module) -> nn.Module:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure.measure(settings(), [w8, Contender("later", "", stop)], out)
    (kept,) = json.loads(out.read_text("utf-8"))
    assert set(kept["rows"]) == {measure.FLOAT, "TAQ W8"}

    run = measure.measure(
        settings(), [Contender("TAQ W8", "", stop), CONTENDERS["ComfyUI int8_tensorwise"]], out
    )
    assert run["rows"]["TAQ W8"] == kept["rows"]["TAQ W8"]
    assert "ComfyUI int8_tensorwise" in run["rows"]

    other = measure.measure(settings(seed=1), [w8], out)
    assert other["rows"]["TAQ W8"] != kept["rows"]["TAQ W8"]
    assert [stored["settings"]["seed"] for stored in json.loads(out.read_text("utf-8"))] == [0, 1]


def test_a_tool_that_fails_is_named_and_costs_no_other_row(tmp_path: Path) -> None:
    def fail(unet: nn.Module) -> nn.Module:
        raise RuntimeError("no kernel image")

    run = measure.measure(
        settings(), [Contender("broken", "", fail), runnable("TAQ W8")], tmp_path / "run.json"
    )
    assert run["not run"] == {"broken": ["failed: RuntimeError: no kernel image"]}
    assert math.isfinite(run["rows"]["TAQ W8"]["ratio"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"model": "sd3"}, "known are tiny, sd15, sdxl"),
        ({"side": 100}, "multiple of 64"),
        ({"checkpoint": Path("not there.safetensors")}, "there is no checkpoint"),
    ],
)
def test_wrong_input_is_refused(wrong: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        command.run(**{"side": SIDE, **wrong}, out=tmp_path / "run.json", device="cpu")


def settings(seed: int = 0) -> dict:
    return command.settings("tiny", SIDE, None, 1, seed, False, CPU)
