"""Test the rounded weights that all methods share."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
import torch

from personalq.bench.baselines import METHODS, Bits, Calibration, Call, round_weights
from personalq.taq_kernels.calibration import Schedule
from personalq.taq_kernels.calibration.reconstruct import set_weights
from personalq.taq_kernels.layouts.formats import layer_weight
from personalq.taq_kernels.quantize import quantize_weight
from personalq.taq_kernels.spec import Activations

SHORT = Schedule(iterations=6, learning_rate=0.1, batch_size=2)


def layers(unet):
    return {
        name: weight
        for name, module in unet.named_modules()
        if (weight := layer_weight(module)) is not None
    }


@pytest.mark.parametrize("bits", [8, 4])
def test_nearest_is_the_stored_format(case, bits):
    rounded = round_weights(case.unet, Bits(bits, None), case.calibration)
    assert rounded.values.keys() == rounded.bits.keys() == layers(case.unet).keys()
    for name, weight in layers(case.unet).items():
        torch.testing.assert_close(rounded.values[name], quantize_weight(weight, bits).dequantize())
        assert not isinstance(rounded.values[name], type(quantize_weight(weight, bits)))
    assert rounded.bits["conv_in"] == 8, "four channels do not fill a group"
    assert rounded.bits["conv_out"] == bits


def test_no_bits_no_weights(case):
    assert not round_weights(case.unet, Bits(None, 8), case.calibration, "brecq").values


@pytest.mark.parametrize("rounding", ["adaround", "brecq"])
def test_learned_rounding_lowers_the_error(case, answer, rounding):
    before = deepcopy(case.unet.state_dict())
    bits = Bits(4, None)
    calibration = Calibration(case.calibration.calls[:1], case.calibration.guidance)
    learned, nearest = round_weights(case.unet, bits, calibration, rounding, SHORT), case.rounded[4]
    assert learned.bits == nearest.bits
    moved = {
        name
        for name in learned.values
        if not torch.equal(learned.values[name], nearest.values[name])
    }
    assert any(".attn2.to_k" in name for name in moved)
    assert not moved & {"conv_in", "conv_out", "time_embedding.linear_1", "time_embedding.linear_2"}
    assert all(torch.equal(value, before[name]) for name, value in case.unet.state_dict().items())
    errors = []
    for weights in (nearest, learned):
        simulated = METHODS["per row"].quantize(case.unet, calibration, bits, weights)
        errors.append(
            sum((answer(simulated, c) - c.eps).square().sum().item() for c in calibration.calls)
        )
    assert 0 < errors[1] < errors[0]


def test_what_is_learned_for_exact_keys_and_values(case):
    """They are rounded to nearest, for methods that round them, and the other layers to learned."""
    text = {name for name in layers(case.unet) if name.endswith((".attn2.to_k", ".attn2.to_v"))}
    calibration = Calibration(case.calibration.calls[:1], case.calibration.guidance)
    learned = round_weights(case.unet, Bits(4, None), calibration, "brecq", SHORT, text=False)
    same = {
        name
        for name, values in case.rounded[4].values.items()
        if torch.equal(learned.values[name], values)
    }
    assert text < same
    assert not {f"{name[:-1]}q" for name in text} & same


def test_an_unknown_rounding_is_refused(case):
    with pytest.raises(ValueError, match="nearest, adaround, brecq"):
        round_weights(case.unet, Bits(8, 8), case.calibration, "up")


def test_a_call_of_learning_has_one_picture():
    """Of three pictures in a call, each has its caption's entry and the one without a caption."""
    entries = torch.arange(6.0)
    conditional = torch.tensor([True, True, True, False, False, False])
    call = Call(
        entries.view(6, 1, 1, 1),
        torch.tensor(5),
        entries.view(6, 1, 1),
        {"time_ids": entries.view(6, 1)},
        0,
        conditional,
        torch.zeros(6, 1),
        entries.view(6, 1, 1, 1),
    )
    for number, ((latents, timestep, text), kwargs) in enumerate(call.pictures()):
        own = [number, number + 3]
        assert timestep == 5
        for tensor in (latents, text, kwargs["added_cond_kwargs"]["time_ids"]):
            assert tensor.flatten().tolist() == own
    assert len(call.pictures()) == 3
    alone = replace(call, conditional=torch.ones(6, dtype=torch.bool), timestep=entries)
    assert [args[1].tolist() for args, _ in alone.pictures()] == [[n] for n in range(6)]
    with pytest.raises(ValueError, match="zip"):
        replace(call, conditional=entries > 0).pictures()


def test_keys_and_values_are_learned_before_what_reads_their_attention(case, monkeypatch):
    order = []

    def learn(recorder, block, *_):
        order.extend(block.layers)
        for layer, bits in block.layers.items():
            rounded = quantize_weight(recorder.model.get_parameter(f"{layer}.weight"), bits)
            set_weights(recorder.model, {layer: rounded}, Activations(None))

    monkeypatch.setattr("personalq.bench.baselines.weights.reconstruct_", learn)
    round_weights(case.unet, Bits(8, None), case.calibration, "adaround", SHORT)
    assert len(order) == len(set(order))
    outputs = [name for name in order if name.endswith(".attn2.to_out.0")]
    assert outputs
    for name in outputs:
        attention = name.removesuffix("to_out.0")
        before = order[: order.index(name)]
        assert {f"{attention}to_q", f"{attention}to_k", f"{attention}to_v"} <= set(before)
