"""Test norm, SiLU and convolution that run as one, on an emulated GPU: the operators run their
references on the CPU.
"""

from __future__ import annotations

from unittest.mock import patch

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.nodes.host.taq.normed_conv import NormedConv
from personalq.taq_kernels.backends import operators, registry
from personalq.tests.host.sampling import encode, quantized, relative_error, sample

WITH_TRITON = registry.Machine("cuda", (8, 9), (3, 6), "eager")


@pytest.fixture(scope="module")
def prompts(base):
    return encode(base[1], "a <bear> on grass"), encode(base[1], "blurry")


def run(model, prompts):
    """The latent of one step, and how many convolutions ran with their norm."""
    fused = operators.normed_conv2d_int8
    with patch.object(operators, "normed_conv2d_int8", wraps=fused) as counted:
        out = sample(model, *prompts, steps=1)
    return out, counted.call_count


def blocks(model):
    """The parts of residual blocks that can run as one."""
    return [one for one in model.model.diffusion_model.modules() if isinstance(one, NormedConv)]


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_where_triton_runs_each_block_gives_what_its_layers_give(
    model, prompts, monkeypatch, preset
):
    out, calls = quantized(model, preset), []
    apart, none = run(out, prompts)
    assert none == 0
    monkeypatch.setattr(registry, "machine", lambda _: WITH_TRITON)
    hooks = [
        block.register_forward_hook(
            lambda block, given, made: calls.append((block, given[0], made))
        )
        for block in blocks(out)
    ]
    together, fused = run(out, prompts)
    for hook in hooks:
        hook.remove()
    assert fused == len(calls) == len(blocks(out)) > 10
    for block, x, made in calls:
        one_by_one = torch.nn.Sequential.forward(block, x)
        assert made.stride() == one_by_one.stride()
        assert relative_error(made, one_by_one) < 2e-3
    exact = sample(model, *prompts, steps=1)
    assert relative_error(together, exact) < 1.5 * relative_error(apart, exact)


@pytest.mark.parametrize("preset", ["W8", "W8A4"])
def test_no_other_preset_does(model, prompts, monkeypatch, preset):
    monkeypatch.setattr(registry, "machine", lambda _: WITH_TRITON)
    assert run(quantized(model, preset), prompts)[1] == 0


def test_what_needs_the_normed_input_gets_it(model, prompts, monkeypatch):
    """A LoRA on a convolution, another pack's hook, padding in circles: those run one by one."""
    monkeypatch.setattr(registry, "machine", lambda _: WITH_TRITON)
    out = quantized(model, "W8A8")
    _, count = run(out, prompts)
    [first, second, third, fourth, *_] = [parts[-1] for parts in blocks(out)]
    seen = []
    monkeypatch.setattr(first, "branches", [lambda x, out: seen.append(x) or out])
    hook = second.register_forward_hook(lambda layer, given, made: seen.append(given[0]))
    monkeypatch.setattr(third, "padding_mode", "circular")
    monkeypatch.setattr(fourth, "weight_function", [lambda weight: weight])
    _, left = run(out, prompts)
    hook.remove()
    assert left == count - 4
    assert len(seen) == 2
    assert all(x.isfinite().all() for x in seen)


def test_a_part_of_a_block_runs_as_it_is(model, monkeypatch):
    """The host cuts blocks that change the size between norm and convolution."""
    monkeypatch.setattr(registry, "machine", lambda _: WITH_TRITON)
    block = blocks(quantized(model, "W8A8"))[0]
    x = torch.randn(1, block[0].num_channels, 4, 4)
    with torch.inference_mode():
        normed = block[:-1](x)
        assert torch.equal(normed, torch.nn.functional.silu(block[0](x)))
        assert torch.equal(block[1:](x), block[-1](torch.nn.functional.silu(x)))
        assert torch.equal(block[:1](x), block[0](x))
