"""The benchmarks' TAQ is the TAQ that ships, bit for bit."""

from __future__ import annotations

import dataclasses
from copy import deepcopy
from functools import cache

import pytest
import torch

from personalq.bench.baselines import TAQ, Bits
from personalq.bench.baselines.taq import ALL_ROWS
from personalq.bench.taq.unets import randomize_
from personalq.taq_kernels import PRESETS, Report, quantize_
from personalq.taq_kernels.attention.diffusers_processor import store_text_
from personalq.taq_kernels.layouts.formats import layer_weights
from personalq.tests.tiny_unet import tiny_unet

WIDE = {
    "block_out_channels": (256, 320),
    "norm_num_groups": 32,
    "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"),
    "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D"),
}
"""Layers of every format: 256 inputs are a rotation's group, and 320 are none."""


@pytest.fixture(scope="module")
def unet():
    made = tiny_unet(**WIDE)
    randomize_(made)
    return made


@pytest.fixture
def inputs(random_text):
    return (torch.randn(2, 4, 8, 8, generator=torch.Generator().manual_seed(1)), *random_text)


@pytest.fixture
def random_text():
    generator = torch.Generator().manual_seed(2)
    text, marks = torch.randn(2, 9, 32, generator=generator), torch.zeros(2, 9)
    text[:, 0] *= 20
    marks[0, 3:5] = 1
    return torch.tensor(500), text, marks


@pytest.fixture(scope="module")
def as_shipped(unet):
    """The UNet quantized with a preset, once for each; its attention is the last caller's."""

    @cache
    def quantized(preset):
        made = deepcopy(unet)
        quantize_(made, preset)
        return made

    return quantized


@pytest.mark.parametrize(
    ("protect", "per_tensor"),
    [("trigger + BOS", False), ("none", False), ("all", False), ("trigger + BOS", True)],
)
@pytest.mark.parametrize("preset", ["W8A8", "W4A8", "W8A4", "W4A4"])
def test_the_benchmarks_taq_is_what_ships(
    case, unet, as_shipped, inputs, preset, protect, per_tensor
):
    latents, timestep, text, marks = inputs
    chosen = dataclasses.replace(PRESETS[preset], per_tensor=per_tensor)
    bits = Bits(chosen.weight_bits, chosen.act_bits)
    method = TAQ(protect=protect, per_tensor=per_tensor)
    measured = method.quantize(unet, case.calibration, bits)
    shipped = as_shipped(chosen)
    spec = dataclasses.replace(chosen.attention, per_tensor=per_tensor)
    store_text_(shipped, spec, marks, protect)
    with torch.no_grad():
        expected = shipped(latents, timestep, text).sample
        assert (expected - unet(latents, timestep, text).sample).norm() > 1e-4 * expected.norm()
    assert torch.equal(measured.eps(latents, timestep, text, None, 0, marks), expected)


def test_the_benchmark_counts_the_bits_that_the_report_counts(case, unet):
    shipped = deepcopy(unet)
    quantize_(shipped, "W4A8")
    stored = {p.name: p for p in Report.of(shipped, "W4A8").parameters}
    about = TAQ(ALL_ROWS, "all").quantize(unet, case.calibration, Bits(4, 8)).about()
    assert set(about["layers"]) == set(layer_weights(unet))
    for name, (weight, activation) in about["layers"].items():
        found = stored[f"{name}.weight"]
        assert (weight or 16) == found.bits
        assert (activation == 8) == (found.computed in ("native", "simulated"))
    assert all(set(bits.values()) == {None} for bits in about["attention"].values())
