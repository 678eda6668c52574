"""Test that packed weights return as integers times their scale, small tensors in float16."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed: python quickstart.py test installs it"
)

from personalq.demo.world.compact import pack, unpack  # noqa: E402


@pytest.mark.parametrize("bits", [7, 8])
def test_matrices_come_back_within_half_a_step_of_their_row(bits: int):
    torch.manual_seed(0)
    kernel = torch.randn(64, 32, 3, 3) * torch.linspace(0.01, 3, 64)[:, None, None, None]
    restored = unpack(pack({"kernel": kernel}, bits))["kernel"]
    steps = kernel.flatten(1).abs().amax(1) / (2 ** (bits - 1) - 1)
    assert ((restored - kernel).flatten(1).abs().amax(1) <= 0.51 * steps).all()
    again = unpack(pack({"kernel": restored}, bits))["kernel"]
    assert torch.allclose(again, restored, rtol=1e-3)


def test_small_tensors_stay_in_half_precision():
    tensors = {"bias": torch.randn(320), "few": torch.randn(4, 4), "zero": torch.zeros(64, 64)}
    restored = unpack(pack(tensors))
    assert all(torch.equal(restored[name], value.half().float()) for name, value in tensors.items())


def test_fewer_bits_take_fewer_bytes():
    weights = {"matrix": torch.randn(256, 256)}
    assert len(pack(weights, 7)) < 0.95 * len(pack(weights, 8)) < 256 * 256
