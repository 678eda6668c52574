"""Test how a CPU's products of int8 are judged."""

from __future__ import annotations

import contextlib
import sys

import pytest
import torch

from personalq.taq_kernels.backends import machine, registry
from personalq.taq_kernels.backends.machine import SLOW_INT8, _slower_in_int8


@pytest.mark.parametrize(("int8", "float32", "slow"), [(2.0, 1.0, True), (1.0, 2.0, False)])
def test_both_products_are_timed(monkeypatch, int8, float32, slow) -> None:
    seconds = iter((int8, float32))

    def timed(run):
        run()
        return next(seconds)

    monkeypatch.setattr(machine, "_seconds", timed)
    monkeypatch.setattr(machine, "_slower_in_int8", _slower_in_int8.__wrapped__)
    at = registry.machine("cpu")
    assert at.slow_int8 is slow
    answers = registry.linear(at, 8, 1280), registry.conv(at, (320, 320, 3, 3))
    assert all((one.name == registry.FLOAT) is slow for one in answers)
    assert all((one.why == SLOW_INT8) is slow for one in answers)


def test_the_shortest_of_a_few_times_counts() -> None:
    runs = []
    assert 0 <= machine._seconds(lambda: runs.append(1)) < 0.1
    assert len(runs) > 2


def test_a_triton_that_cannot_be_loaded_is_none(monkeypatch, tmp_path) -> None:
    """As one that was built for another Python or CUDA."""
    (tmp_path / "triton.py").write_text("raise ImportError('DLL load failed')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    assert machine._triton_version.__wrapped__() is None


def test_a_triton_that_cannot_launch_a_kernel_is_passed_over(monkeypatch) -> None:
    """Triton compiles a stub in C at its first launch; Linux may have no compiler."""
    pytest.importorskip("triton", reason="Triton is not installed")
    from personalq.taq_kernels.backends.triton import device

    def launch() -> None:
        raise RuntimeError("Failed to find C compiler. Please specify.\n(more)")

    monkeypatch.setattr(device, "launch_nothing", launch)
    monkeypatch.setattr(torch.cuda, "device", contextlib.nullcontext)
    monkeypatch.setattr(machine, "_capability", lambda _: (8, 6))
    monkeypatch.setattr(machine, "_kitchen_backend", lambda: "eager")
    at = machine._seen_cuda.__wrapped__(torch.device("cuda"))
    answer = registry.conv(at, (320, 320, 3, 3))
    assert answer.name == registry.FLOAT
    assert "Failed to find C compiler. Please specify." in answer.why
    assert "more" not in answer.why


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_compiled_graph_does_not_break_where_it_is_asked(device):
    """comfy-kitchen logs what it chooses, which torch.compile cannot trace."""

    def layer(x):
        return x + (registry.linear(registry.machine(device), 8, 64).name != "")

    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(torch.zeros(2)), torch.ones(2))
