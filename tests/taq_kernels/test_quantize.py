"""Test a UNet quantized in place: it runs, is close to the original, and is reported right."""

from __future__ import annotations

import copy
import dataclasses
import json
from functools import partial

import pytest
import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import nn

from personalq.bench.skeleton import random_half, skeleton
from personalq.bench.unet_shapes import DEMO, unet_shapes
from personalq.taq_kernels import PRESETS, Report, quantize_
from personalq.taq_kernels.backends.registry import TAPS
from personalq.taq_kernels.bops import Macs, count_macs
from personalq.taq_kernels.layouts import linear_int4
from personalq.taq_kernels.quantizers.uniform import uniform_quantize_dequantize
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
    dequantized = copy.deepcopy(unet)
    quantize_(unet, preset)
    for name, layer in dequantized.named_modules():
        if isinstance(weight := getattr(unet.get_submodule(name), "weight", None), QuantizedTensor):
            layer.weight = nn.Parameter(weight.dequantize(), requires_grad=False)
    with torch.inference_mode():
        fast, slow = unet(*inputs), dequantized(*inputs)
    assert 0 < ((fast - slow).norm() / slow.norm()).item() < 0.02


def test_what_is_kept(unet):
    quantize_(unet, "W4A8")
    quantized = {
        name for name, weight in unet.named_parameters() if isinstance(weight, QuantizedTensor)
    }
    assert {name for name in quantized if ".bias" in name or "norm" in name} == set()
    attn2 = "input_blocks.1.1.transformer_blocks.0.attn2"
    kept = (
        "input_blocks.0.0",
        "out.2",
        "time_embed.0",
        "time_embed.2",
        f"{attn2}.to_k",
        f"{attn2}.to_v",
    )
    assert quantized.isdisjoint(f"{name}.weight" for name in kept)
    assert {
        f"{attn2}.to_q.weight",
        "input_blocks.2.0.weight",
        "input_blocks.1.0.emb_layers.1.weight",
    } <= quantized


def test_layers_of_their_own_bits(unet):
    overrides = {"*.attn1.*": None, "input_blocks.2.0": 8, "*.attn2.to_[kv]": 4, "out.2": 8}
    report = quantize_(unet, "W4A8", overrides=overrides)
    bits = {p.name: p.bits for p in report.parameters if p.name.endswith(".weight")}
    attn = "input_blocks.1.1.transformer_blocks.0"
    assert bits[f"{attn}.attn1.to_q.weight"] == bits[f"{attn}.attn2.to_k.weight"] == 16
    assert bits["input_blocks.2.0.weight"] == bits["out.2.weight"] == 8
    assert bits[f"{attn}.attn2.to_q.weight"] == 4


def test_a_pattern_for_no_layer_is_refused(unet):
    with pytest.raises(
        ValueError, match=r"no layer is called up_blocks\.\*; layers here are called"
    ):
        quantize_(unet, "W8A8", overrides={"up_blocks.*": None})


@pytest.mark.parametrize("preset", ["W8A4", "W4A4", "W8", "W4"])
def test_what_no_product_computes_is_computed_in_float(unet, inputs, preset):
    """Each layer gives what its float layer gives for quantized values."""
    exact = copy.deepcopy(unet)
    report = quantize_(unet, preset)
    acts = PRESETS[preset].activations
    compared = []

    def compare(layer, args, out, name):
        weight = layer.weight
        rows = 1 if weight.dim() == 4 else -1
        float_layer = exact.get_submodule(name)
        float_layer.weight = nn.Parameter(weight.dequantize(), requires_grad=False)
        values = fake(args[0].movedim(rows, -1), acts, weight).movedim(-1, rows)
        torch.testing.assert_close(out, float_layer(values), atol=1e-6, rtol=1e-5)
        compared.append(name)

    for name, layer in unet.named_modules():
        if isinstance(getattr(layer, "weight", None), QuantizedTensor):
            layer.register_forward_hook(partial(compare, name=name))
    with torch.inference_mode():
        unet(*inputs)
    assert compared
    kind = "weight-only" if acts.bits is None else "simulated"
    assert report.precision.kind == kind
    assert {p.computed for p in report.parameters} == {kind, "float"}


def fake(rows, acts, weight):
    """A weight of 4 bits is stored rotated, and its input is rounded rotated."""
    if acts.bits is None:
        return rows
    if weight._layout_cls != linear_int4.NAME:
        return uniform_quantize_dequantize(rows, acts.bits)
    turn = torch.block_diag(*[linear_int4.regular_hadamard(256)] * (rows.shape[-1] // 256))
    return uniform_quantize_dequantize(rows @ turn, acts.bits) @ turn


def test_one_scale_for_a_tensor_is_worse_than_one_for_each_row(unet, inputs):
    exact = unet(*inputs)
    errors = []
    for per_tensor in (False, True):
        made = copy.deepcopy(unet)
        report = quantize_(made, dataclasses.replace(PRESETS["W8A8"], per_tensor=per_tensor))
        errors.append((made(*inputs) - exact).norm())
        assert report.precision.kind == ("simulated" if per_tensor else "native")
    assert errors[0] < errors[1]


def test_a_convolution_that_wraps_around(unet, inputs):
    """Seamless textures set `padding_mode` on the layers."""
    for layer in unet.modules():
        if isinstance(layer, nn.Conv2d):
            layer.padding_mode = "circular"
            layer._reversed_padding_repeated_twice = [
                p for p in reversed(layer.padding) for _ in range(2)
            ]
    exact = unet(*inputs)
    quantize_(unet, "W8A8")
    assert ((unet(*inputs) - exact).norm() / exact.norm()).item() < 0.02


def test_bytes_of_one_layer_by_hand(unet):
    report = quantize_(unet, "W4A8")
    conv = next(p for p in report.parameters if p.name == "input_blocks.1.0.in_layers.2.weight")
    values = 256 * 256 * 9
    assert (conv.group, conv.bits, conv.computed, conv.backend) == (
        "resblock conv",
        4,
        "native",
        TAPS,
    )
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
    for part in ("W8A8 on cpu", "native", "self-attention", "simulated", "2 bytes a value", TAPS):
        assert part in text
    assert json.loads(json.dumps(report.to_dict()))["ratio"] == report.ratio


def test_the_report_says_which_weights_do_not_have_the_presets_bits(unet):
    report = quantize_(unet, "W4A8", overrides={"*.attn1.*": 8})
    eight = [parameter for parameter in report.parameters if parameter.bits == 8]
    assert eight
    assert any(
        note.startswith(f"{len(eight)} weights are stored in 8 bits") for note in report.notes()
    )
    quantized_to_8 = quantize_(SmallUNet().eval().requires_grad_(False), "W8A8")
    assert not any("stored in 8 bits" in note for note in quantized_to_8.notes())


def test_the_report_for_a_device_without_int8_products_says_simulated(unet):
    """And counts the same bit operations, because activations have the same values there."""
    report = quantize_(unet, "W8A8")
    there = Report.of(unet, "W8A8", "mps")
    assert {total.computed for total in there.groups()} == {("simulated",), ("float",)}
    macs = Macs({"input_blocks.2.0": 1000})
    assert there.bops(macs) == report.bops(macs) == 1000 * 8 * 8


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
    assert report.bops(Macs({"input_blocks.2.0": 1000})) == 1000 * 4 * 8
    assert report.bops(Macs({f"{attn2}.to_k": 1000})) == 1000 * 16 * 16
    assert report.bops(Macs(macs)) < sum(macs.values()) * 16 * 16 / 7
    with pytest.raises(ValueError, match="nowhere"):
        report.bops(Macs({"nowhere": 1}))


def test_bops_count_protected_rows(unet):
    report = quantize_(unet, "W4A8")
    macs = Macs({}, self_attention=100, cross_attention=7000, text_tokens=7)
    assert report.bops(macs) == 100 * 256 + 7000 * 8 * 8
    assert (
        report.bops(macs, protected=2) == 100 * 256 + 5000 * 8 * 8 + 1000 * 16 * 8 + 1000 * 16 * 16
    )


def test_projections_that_wait_do_not_run(unet):
    quantize_(unet, "W8A8")
    attn2 = "input_blocks.1.1.transformer_blocks.0.attn2"
    waiting = Report.of(unet, "W8A8", kv_offloaded=True)
    assert waiting.bops(Macs({f"{attn2}.to_k": 1000, f"{attn2}.to_q": 1000})) == 1000 * 8 * 8
    projections = 2 * 32 * 256 * 2
    assert waiting.bytes_offloaded == projections
    assert (
        waiting.bytes_after
        == Report.of(unet, "W8A8").bytes_after - projections + 2 * 2 * 77 * 256 * 2
    )
    assert "waits in main memory" in waiting.text()
    assert "in 1.5 s" in Report.of(unet, "W8A8", seconds=1.5).text()
    assert waiting.to_dict()["attention"]["backend"] == "torch in float32"


@pytest.mark.parametrize(
    ("module", "match"),
    [
        (
            nn.Sequential(nn.Linear(4, 4)),
            "no text cross-attention.*SD 1.5 and its fine-tunes, SDXL",
        ),
        (nn.SiLU(), "no text cross-attention"),
        (
            nn.ModuleDict(
                {"a": nn.ModuleDict({"attn2": nn.ModuleDict({"to_k": nn.Linear(4, 4)})})}
            ),
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


@pytest.mark.parametrize(("preset", "bits"), [("W8A8", 8.13), ("W4A8", 5.0)])
def test_bits_of_the_quantized_part_of_an_sd15_layout(preset, bits):
    """The demo model has SD1.5's narrowest layers, where scales weigh most and Linear weights stay
    at 8 bits.
    """
    report = quantize_(skeleton(unet_shapes(DEMO), random_half(0)), preset)
    quantized = [p for p in report.parameters if p.bits < 16]
    assert (
        sum(p.bytes_after for p in quantized) / sum(p.bytes_before for p in quantized) * 16 < bits
    )
    assert report.bytes_after == report.bytes_in_memory


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_compiles_into_one_graph(unet, inputs, preset):
    quantize_(unet, preset)
    with torch.inference_mode(False), torch.no_grad():
        compiled = torch.compile(unet, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(*inputs), unet(*inputs), atol=1e-5, rtol=1e-5)
