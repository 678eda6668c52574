"""Test that opened modules give what a run of the whole model gives, with fewer runs of it."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from personalq.taq_kernels.calibration import METHODS, find_blocks, recorder
from personalq.taq_kernels.calibration.calls import (
    map_tensors,
    recorded_inputs,
    recorded_outputs,
)
from personalq.taq_kernels.calibration.reconstruct import set_weights
from personalq.taq_kernels.quantize import quantize_weight
from personalq.taq_kernels.spec import Activations
from personalq.tests.taq_kernels.calibration.cases import small_calls, small_unet


@pytest.fixture(params=["LDM", "diffusers"])
def unet_and_batches(request):
    if request.param == "LDM":
        return small_unet(), small_calls(3, seed=1)
    calls = request.getfixturevalue("diffusers_calls")
    return request.getfixturevalue("tiny_diffusers").eval(), calls(3, 1)


def quantized_in_turn(model, blocks, each):
    """Call `each` with every block, and then round its layers to nearest."""
    for block in blocks:
        each(block)
        rounded = {
            layer: quantize_weight(model.get_parameter(f"{layer}.weight"), bits)
            for layer, bits in block.layers.items()
        }
        set_weights(model, rounded, Activations(None))


def counted_runs(model):
    runs = []
    model.register_forward_pre_hook(lambda *_: runs.append(1))
    return runs


def tensors(tree):
    found = []
    map_tensors(tree, lambda tensor: found.append(tensor) or tensor)
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("limit", [recorder.LIMIT, 0])
def test_blocks_are_recorded_as_in_the_whole_model(method, limit, unet_and_batches, monkeypatch):
    monkeypatch.setattr(recorder, "LIMIT", limit)
    original, batches = unet_and_batches
    model = deepcopy(original)
    blocks = find_blocks(original, batches[0], 4, method)
    runs = counted_runs(model)
    recording = recorder.Recorder(model, original, [block.name for block in blocks], batches)

    def each(block):
        calls, targets = recording.record(block.name)
        at = [one.name for one in blocks].index(block.name)
        done = deepcopy(original)
        quantized_in_turn(done, blocks[:at], lambda _: None)
        expected = recorded_inputs(done, block.name, batches)
        assert all(map(torch.equal, tensors(calls), tensors(expected)))
        assert len(tensors(calls)) == len(tensors(expected))
        assert all(map(torch.equal, targets, recorded_outputs(original, block.name, batches)))

    quantized_in_turn(model, blocks, each)
    of_each_block = len(blocks) * len(batches)
    if limit:
        assert len(runs) < 0.75 * of_each_block
    else:
        assert len(runs) >= of_each_block, "nothing may be opened"


class Twice(nn.Module):
    """Runs the first of two layers in the first call of their block, the second in the second."""

    def __init__(self):
        super().__init__()
        self.block = _Choice([nn.Linear(8, 8), nn.Linear(8, 8)])

    def forward(self, x):
        return self.block(self.block(x, 0) + 1, 1)


class _Choice(nn.ModuleList):
    def forward(self, x, which):
        return self[which](x)


def test_a_layer_is_recorded_where_it_first_runs():
    torch.manual_seed(0)
    original = Twice()
    model = deepcopy(original)
    batches = [((torch.randn(2, 8),), {}) for _ in range(2)]
    recording = recorder.Recorder(model, original, ["block.0", "block.1"], batches)
    for name in ("block.0", "block.1"):
        calls, targets = recording.record(name)
        assert torch.equal(calls[0][0][0], recorded_inputs(model, name, batches)[0][0][0])
        assert torch.equal(targets[1], recorded_outputs(original, name, batches)[1])
        nn.init.zeros_(model.get_parameter(f"{name}.weight"))
