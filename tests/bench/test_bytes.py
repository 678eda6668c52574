"""Test the byte counts of UNets, which follow from their shapes, and the text tables."""

from __future__ import annotations

import math

import pytest

from personalq.bench import unet_bytes
from personalq.bench.skeleton import random_half, skeleton
from personalq.bench.table import table
from personalq.bench.unet_shapes import DEMO, SD15, SDXL, unet_shapes
from personalq.demo.weights import UNET, base_checkpoint
from personalq.taq_kernels import quantize_


@pytest.mark.parametrize(("config", "parameters"), [(SD15, 859_520_964), (SDXL, 2_567_463_684)])
def test_shapes_are_those_of_the_published_models(config, parameters: int) -> None:
    """Parameter counts of the UNets of Stable Diffusion 1.5 and SDXL base."""
    assert sum(math.prod(shape) for shape in unet_shapes(config).values()) == parameters


def test_the_skeleton_holds_every_parameter_under_its_name() -> None:
    shapes = unet_shapes(DEMO)
    unet = skeleton(shapes, random_half(seed=0))
    assert {name: tuple(value.shape) for name, value in unet.named_parameters()} == shapes


def test_the_demo_base_has_a_whole_unet() -> None:
    weights = base_checkpoint()
    assert {name.removeprefix(UNET) for name in weights if name.startswith(UNET)} == unet_shapes(
        DEMO
    ).keys()


def test_the_report_counts_the_demo_unet() -> None:
    report = quantize_(skeleton(unet_shapes(DEMO), random_half(seed=0)), "W8A8")
    values = sum(math.prod(shape) for shape in unet_shapes(DEMO).values())
    assert report.bytes_before == 2 * values
    assert 0.5 < report.ratio < 0.6


def test_presets_are_measured_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(unet_bytes.CONFIGS, "demo", DEMO)
    result = unet_bytes.measure("demo")
    assert result["presets"]["W4A8"]["ratio"] < result["presets"]["W8A8"]["ratio"] < 0.6
    text = unet_bytes.report(result)
    assert "demo UNet" in text
    assert "W4A8" in text


def test_columns_are_aligned() -> None:
    lines = table([("what", "value"), ("a", 0.12345), ("longer", 2)]).splitlines()
    assert lines == ["what    value", "------  -----", "a       0.123", "longer  2"]
