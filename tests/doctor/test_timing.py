"""Times and memory, on the CPU and, by emulation, between CUDA events."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
import torch

from personalq.doctor import timing

CUDA = torch.device("cuda", 0)


@pytest.fixture
def cuda(monkeypatch):
    """CUDA's clock and counters without CUDA: each event is a millisecond after the one before."""
    state = SimpleNamespace(clock=0, held=100 * timing.MIB, peak=0, waits=0)

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            state.clock += 1
            self.at = state.clock

        def elapsed_time(self, end):
            return float(end.at - self.at)

    class Device:
        def __init__(self, device):
            assert device == CUDA

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

    def wait(*device):
        state.waits += 1

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "device", Device)
    monkeypatch.setattr(torch.cuda, "synchronize", wait)
    monkeypatch.setattr(torch.accelerator, "synchronize", wait)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: state.held)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: state.peak)
    monkeypatch.setattr(
        torch.cuda, "reset_peak_memory_stats", lambda device: setattr(state, "peak", state.held)
    )
    return state


def test_between_events(cuda):
    calls = []
    assert timing.milliseconds(lambda: calls.append(cuda.clock), CUDA) == 1.0
    assert len(calls) == 23
    assert calls[:4] == [0, 0, 0, 1]


def test_launching_is_not_waited_for(cuda):
    waits = []
    assert timing.launch_milliseconds(lambda: waits.append(cuda.waits), CUDA) < 5
    assert waits == [1, 2, 3, 4, 5]
    assert cuda.waits == 6


def test_peak_is_beyond_what_was_held(cuda):
    def run():
        cuda.peak = cuda.held + 7 * timing.MIB

    assert timing.peak_mib(run, CUDA) == 7


def test_on_a_cpu():
    cpu = torch.device("cpu")
    out, seconds = timing.first_call(lambda: time.sleep(0.01) or "done", cpu)
    assert out == "done"
    assert seconds >= 0.01
    assert timing.milliseconds(lambda: time.sleep(0.002), cpu) >= 2
    assert timing.launch_milliseconds(lambda: None, cpu) is None
    assert timing.peak_mib(lambda: None, cpu) is None
