"""A UNet quantized in place: it runs, close to the original, and the report says what it holds."""

from __future__ import annotations

import json

import pytest
import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import nn

from personalq.bench.skeleton import random_half, skeleton
from personalq.bench.unet_shapes import DEMO, unet_shapes
from personalq.taq_kernels import Report, quantize_
from personalq.taq_kernels.bops import count_macs
from personalq.taq_kernels.conv_taps import INT8
from personalq.tests.taq_kernels.unets import SmallUNet


@pytest.fixture
def unet() -> SmallUNet:
    torch.manual_seed(0)
    return SmallUNet().eval().requires_grad_(False)


@pytest.fixture
def inputs() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(2, 4, 8, 8, generator=generator), torch.randn(2, 7, 32, generator=generator)


@pytest.mark.parametrize(("preset", "bound"), [("W8A8", 0.02), ("W4A8", 0.12)])
def test_output_stays_close(unet, inputs, preset, bound):
    with torch.inference_mode():
        before = unet(*inputs)
        quantize_(unet, preset)
        after = unet(*inputs)
    assert 0 < ((after - before).norm() / before.norm()).item() < bound


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_fast_paths_agree_with_the_dequantized_model(unet, inputs, preset):
    quantize_(unet, preset)
    with torch.inference_mode():
        fast = unet(*inputs)
        for layer in unet.modules():
            if isinstance(getattr(layer, "weight", None), QuantizedTensor):
                layer.weight = nn.Parameter(layer.weight.dequantize(), requires_grad=False)
        dequantized = unet(*inputs)
    assert 0 < ((fast - dequantized).norm() / dequantized.norm()).item() < 0.02


def test_what_is_kept(unet):
    quantize_(unet, "W4A8")
    quantized = {name for name, weight in unet.named_parameters() if isinstance(weight, QuantizedTensor)}
    assert {name for name in quantized if ".bias" in name or "norm" in name} == set()
    attn2 = "input_blocks.1.1.transformer_blocks.0.attn2"
    kept = ("input_blocks.0.0", "out.2", "time_embed.0", "time_embed.2", f"{attn2}.to_k", f"{attn2}.to_v")
    assert quantized.isdisjoint(f"{name}.weight" for name in kept)
    assert {f"{attn2}.to_q.weight", "input_blocks.2.0.weight", "input_blocks.1.0.emb_layers.1.weight"} <= quantized


def test_keep_patterns(unet):
    quantize_(unet, "W8A8", keep=["*.attn1.*", "input_blocks.2.0"])
    quantized = {name for name, weight in unet.named_parameters() if isinstance(weight, QuantizedTensor)}
    assert not any("attn1" in name or name.startswith("input_blocks.2.0") for name in quantized)
    assert any("attn2.to_q" in name for name in quantized)


def test_bytes_of_one_layer_by_hand(unet):
    report = quantize_(unet, "W4A8")
    conv = next(p for p in report.parameters if p.name == "input_blocks.1.0.in_layers.2.weight")
    values = 256 * 256 * 9
    assert (conv.group, conv.bits, conv.computed, conv.backend) == ("resblock conv", 4, "native", INT8)
    assert conv.bytes_before == 2 * values
    assert conv.bytes_after == conv.bytes_in_memory == values // 2 + values // 32 + 4 * 256
    bias = next(p for p in report.parameters if p.name == "input_blocks.1.0.in_layers.2.bias")
    assert (bias.bytes_before, bias.bytes_after, bias.bytes_in_memory) == (512, 512, 1024)


def test_totals_cover_every_parameter(unet):
    values = sum(parameter.numel() for parameter in unet.parameters())
    report = quantize_(unet, "W8A8")
    assert report.bytes_before == 2 * values
    assert report.bytes_after == sum(total.bytes_after for total in report.groups())
    assert sum(total.layers for total in report.groups()) == len(list(unet.parameters()))
    assert report.ratio == report.bytes_after / report.bytes_before


def test_the_report_says_what_is_simulated_and_what_counts_at_two_bytes(unet):
    report = quantize_(unet, "W8A8")
    assert report.precision.kind == "native"
    text = report.text()
    for part in ("W8A8 on cpu", "native", "self-attention", "simulated", "2 bytes a value", INT8):
        assert part in text
    assert json.loads(json.dumps(report.to_dict()))["ratio"] == report.ratio


def test_the_report_for_another_device_is_simulated(unet):
    quantize_(unet, "W8A8")
    report = Report.of(unet, "W8A8", "mps")
    assert {total.computed for total in report.groups()} == {("simulated",), ("float",)}


def test_bops(unet, inputs):
    macs = count_macs(unet, *inputs)
    tokens, batch = 64, 2
    attn2 = "input_blocks.1.1.transformer_blocks.0.attn2"
    assert macs["input_blocks.1.0.in_layers.2"] == batch * 64 * 256 * 256 * 9
    assert macs["input_blocks.2.0"] == batch * 16 * 256 * 256 * 9  # stride 2
    assert macs[f"{attn2}.to_q"] == batch * tokens * 256 * 256
    assert macs[f"{attn2}.to_k"] == batch * 7 * 32 * 256
    report = quantize_(unet, "W4A8")
    assert count_macs(unet, *inputs) == macs
    assert report.bops({"input_blocks.2.0": 1000}) == 1000 * 4 * 8
    assert report.bops({f"{attn2}.to_k": 1000}) == 1000 * 16 * 16
    assert report.bops(macs) < sum(macs.values()) * 16 * 16 / 7
    with pytest.raises(ValueError, match="nowhere"):
        report.bops({"nowhere": 1})


@pytest.mark.parametrize(
    ("module", "match"),
    [
        (nn.Sequential(nn.Linear(4, 4)), "no text cross-attention.*SD1.5 and its kin, SDXL"),
        (nn.SiLU(), "no text cross-attention"),
        (
            nn.ModuleDict({"a": nn.ModuleDict({"attn2": nn.ModuleDict({"to_k": nn.Linear(4, 4)})})}),
            "no layer to quantize",
        ),
    ],
)
def test_unsupported_modules_are_refused(module, match):
    with pytest.raises(ValueError, match=match):
        quantize_(module, "W8A8")


def test_a_refused_module_is_unchanged_and_a_quantized_one_refused(unet):
    with pytest.raises(ValueError, match="unknown preset"):
        quantize_(unet, "W1A1")
    assert not any(isinstance(weight, QuantizedTensor) for weight in unet.parameters())
    quantize_(unet, "W8A8")
    with pytest.raises(ValueError, match="quantized already"):
        quantize_(unet, "W4A8")


@pytest.mark.parametrize(("preset", "bits"), [("W8A8", 8.13), ("W4A8", 4.56)])
def test_bits_of_the_quantized_part_of_an_sd15_layout(preset, bits):
    """The demo model has SD1.5's narrowest layers, where scales weigh most."""
    report = quantize_(skeleton(unet_shapes(DEMO), random_half(0)), preset)
    quantized = [p for p in report.parameters if p.bits < 16]
    assert sum(p.bytes_after for p in quantized) / sum(p.bytes_before for p in quantized) * 16 < bits
    assert report.bytes_after == report.bytes_in_memory
