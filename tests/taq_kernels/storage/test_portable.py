"""Test quantized weights from another machine or an earlier version on this device."""

from __future__ import annotations

import json

import pytest
import torch
from comfy_kitchen.tensor import QuantizedTensor

from personalq.taq_kernels import quantize_weight
from personalq.taq_kernels.backends import registry
from personalq.taq_kernels.layouts.linear_int4 import NAME as INT4_LINEAR
from personalq.taq_kernels.storage.state_dict import entries, portable


@pytest.fixture
def weight() -> torch.Tensor:
    return torch.randn(64, 512, generator=torch.Generator().manual_seed(0)) / 22


def test_what_every_device_takes_is_left_as_it_is(weight):
    state = entries("ff", quantize_weight(weight, 4)) | {"ff.bias": torch.zeros(64)}
    for device in ("cpu", "cuda"):
        made = portable(state, torch.device(device))
        assert made.keys() == state.keys()
        assert all(made[name] is state[name] for name in state)


def test_groups_that_cuda_refuses_become_8_bits_of_the_same_values(weight):
    stored = QuantizedTensor.from_float(weight, INT4_LINEAR, group_size=16, convrot_groupsize=64)
    made = portable(entries("ff", stored) | {"norm.weight": torch.ones(4)}, torch.device("cuda"))
    assert json.loads(bytes(made["ff.comfy_quant"].tolist())) == {"format": "int8_tensorwise"}
    decoded = made["ff.weight"].float() * made["ff.weight_scale"]
    error = (decoded - stored.dequantize()).norm() / stored.dequantize().norm()
    assert 0 < error < 0.01
    assert not [
        name for name in made if name.startswith("ff.weight_") and name != "ff.weight_scale"
    ]
    assert torch.equal(made["norm.weight"], torch.ones(4))


def test_a_mac_gets_no_8_bit_floats(weight):
    state = entries("ff", quantize_weight(weight, 4))
    made = portable(state, torch.device("mps"))
    assert state["ff.weight_s_rel"].dtype == torch.float8_e4m3fn
    assert made["ff.weight_s_rel"].dtype == torch.float32
    assert torch.equal(made["ff.weight_s_rel"], state["ff.weight_s_rel"].float())
    assert all(tensor.dtype != torch.float8_e4m3fn for tensor in made.values())
    assert (
        json.loads(bytes(made["ff.comfy_quant"].tolist()))["convrot_groupsize"] == registry.ROTATION
    )
