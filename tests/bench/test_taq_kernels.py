"""Test the timing of the kernels on a small shape, on CUDA where there is one."""

from __future__ import annotations

import torch

from personalq.bench.taq import kernels


def test_every_shape_is_timed_and_shown():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    small = {"small": ((2, 64, 2, 40),)}, {"small": ((1, 256, 256, 8),)}, {"small": ((7, 256, 64),)}
    found = kernels.measure(device, *small)
    for part in ("attention", "convolution", "linear"):
        (one,) = found[part].values()
        assert min(one["float_ms"], one["ms_8"], one["ms_4"]) > 0
    text = kernels.report(found)
    assert "attention small (2, 64, 2, 40), 8 bits" in text
    assert "convolution small (1, 256, 256, 8), 4 bits" in text
    assert "linear small (7, 256, 64), 8 bits" in text
