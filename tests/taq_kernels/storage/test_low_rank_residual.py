"""Test a personalised model stored as a quantized base and a low-rank residual.

It is as near as quantizing it whole, at a fraction of the bytes.
"""

from __future__ import annotations

import copy

import pytest
import torch

from personalq.taq_kernels import quantize_
from personalq.taq_kernels.storage.low_rank_residual import PREFIX, make_low_rank_residual
from personalq.tests.taq_kernels.unets import SmallUNet


def reads(unet):
    return {name: lambda weight=weight: weight for name, weight in unet.state_dict().items()}


@pytest.fixture(scope="module")
def base() -> SmallUNet:
    torch.manual_seed(0)
    return SmallUNet().eval().requires_grad_(False)


@pytest.fixture(scope="module")
def personal(base) -> SmallUNet:
    """The base, moved in few directions of each layer, as fine-tuning on a few pictures does."""
    made = copy.deepcopy(base)
    torch.manual_seed(1)
    for name, weight in made.named_parameters():
        if weight.ndim > 1:
            flat = weight.flatten(1)
            move = torch.randn(flat.shape[0], 4) @ torch.randn(4, flat.shape[1])
            weight.add_((0.05 * flat.norm() / move.norm() * move).view_as(weight))
        elif "bias" in name:
            weight.add_(0.01)
    return made


@pytest.mark.parametrize("bits", [4, 8])
def test_as_close_as_quantizing_the_whole(personal, base, bits):
    made = make_low_rank_residual(reads(personal), reads(base), bits)
    assert made.as_close
    assert 0 < made.error <= made.error_whole


def test_fewer_bytes_than_the_quantized_whole(personal, base):
    made = make_low_rank_residual(reads(personal), reads(base), 4)
    assert made.nbytes < quantize_(copy.deepcopy(personal), "W4A8").bytes_after / 2


def test_adding_it_gives_the_personal_model(personal, base):
    """Base and difference, by hand, draw what the personal model draws; the base alone does not."""
    inputs = (
        torch.randn(2, 4, 8, 8, generator=torch.Generator().manual_seed(2)),
        torch.ones(2, 7, 32),
    )
    wanted = personal(*inputs)
    quantized = copy.deepcopy(base)
    quantize_(quantized, "W8")
    alone = ((quantized(*inputs) - wanted).norm() / wanted.norm()).item()
    for key, up in (made := make_low_rank_residual(reads(personal), reads(base), 8).state).items():
        layer, _, kind = key.removeprefix(PREFIX).partition(".lora_up")
        if kind:
            down = made[key.replace("lora_up", "lora_down")].float()
            add = (up.float().flatten(1) @ down.flatten(1)).view(up.shape[0], *down.shape[1:])
            module = quantized.get_submodule(layer)
            module.weight = torch.nn.Parameter(
                module.weight.dequantize() + add, requires_grad=False
            )
            module.forward = type(module).__mro__[1].forward.__get__(module)
        elif key.endswith((".diff", ".diff_b")):
            layer, _, kind = key.removeprefix(PREFIX).rpartition(".")
            getattr(quantized.get_submodule(layer), "bias" if kind == "diff_b" else "weight").add_(
                up.float()
            )
    error = ((quantized(*inputs) - wanted).norm() / wanted.norm()).item()
    assert error < 0.02 < alone


def test_a_parameter_that_is_neither_weight_nor_bias_keeps_its_name():
    """As the modulation of Wan's blocks and of its head."""
    before = {"blocks.0.modulation": torch.zeros(1, 6, 4), "blocks.0.norm.bias": torch.zeros(4)}
    reads = [
        {name: lambda value=value + added: value for name, value in before.items()}
        | {"blocks.0.q.weight": lambda: torch.eye(64)}
        for added in (1, 0)
    ]
    assert set(make_low_rank_residual(*reads, 8).state) == {
        f"{PREFIX}blocks.0.modulation.diff",
        f"{PREFIX}blocks.0.norm.diff_b",
    }


def test_an_equal_checkpoint_needs_nothing(base):
    made = make_low_rank_residual(reads(base), reads(base), 8)
    assert made.state == {}
    assert made.error == made.error_whole


def test_more_energy_is_closer_and_larger(personal, base):
    some, most = (
        make_low_rank_residual(reads(personal), reads(base), 8, energy=energy)
        for energy in (0.5, 0.99)
    )
    assert most.error < some.error
    assert most.nbytes > some.nbytes


def test_a_wrong_base_is_refused(personal):
    with pytest.raises(ValueError, match="name the right base"):
        make_low_rank_residual(reads(personal), reads(SmallUNet(width=128)), 8)
    other = reads(personal)
    other.pop("out.2.bias")
    with pytest.raises(ValueError, match=r"different layers \(out\.2\.bias\)"):
        make_low_rank_residual(reads(personal), other, 8)
