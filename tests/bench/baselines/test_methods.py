"""Test every method on a UNet.

Without bits it is exact, with 8 near full precision, with 4 worse; its exceptions hold.
"""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch

from personalq.bench.baselines import METHODS, TAQ, Bits, Calibration, Call
from personalq.bench.baselines.controls import SCOPES, controls
from personalq.bench.baselines.layers import ExactRowsLinear, concatenated_channels
from personalq.bench.taq.unets import CONFIGS
from personalq.taq_kernels.layouts.formats import layer_weight
from personalq.tests.tiny_unet import DIFFUSERS, tiny_unet

CONTROLS = {method.name: method for scope in SCOPES for method in controls(scope)}
ALL = METHODS | CONTROLS
W4A8 = Bits(4, 8)


def error(case, answer, method, bits):
    """Relative L2 error of the noise of calls that calibration has not seen."""
    simulated = method.quantize(case.unet, case.calibration, bits, case.rounded[bits.weights])
    difference = sum((answer(simulated, call) - call.eps).square().sum() for call in case.held_out)
    return (difference / sum(call.eps.square().sum() for call in case.held_out)).sqrt().item()


def about(case, name, bits=W4A8):
    return (
        METHODS[name]
        .quantize(case.unet, case.calibration, bits, case.rounded[bits.weights])
        .about()
    )


@pytest.mark.parametrize(
    "name", [*METHODS, "BOS, per row, everything", "BOS, per tensor, attention only"]
)
def test_no_bits_is_full_precision_exactly(case, answer, name):
    simulated = ALL[name].quantize(case.unet, case.calibration, Bits(None, None))
    call = case.held_out[0]
    eps = answer(simulated, call)
    assert torch.equal(eps, call.eps)
    assert torch.equal(simulated.correct(eps, call.step), eps)
    assert set(simulated.about()["layers"].values()) == {(None, None)}


@pytest.mark.parametrize("name", METHODS)
def test_8_bits_are_near_and_4_bits_worse(case, answer, name):
    before = deepcopy(case.unet.state_dict())
    errors = [
        error(case, answer, METHODS[name], bits) for bits in (Bits(8, 8), Bits(8, 4), Bits(4, 4))
    ]
    coarse = "DGQ" in name or "log" in name  # a logarithmic grid has a relative error at any bits
    assert 0 < errors[0] < (0.25 if coarse else 0.15)
    assert errors[0] < errors[1]
    assert errors[0] < errors[2]
    assert all(torch.equal(value, before[key]) for key, value in case.unet.state_dict().items())


@pytest.mark.parametrize("name", CONTROLS)
def test_controls_run(case, answer, name):
    assert 0 < error(case, answer, CONTROLS[name], Bits(8, 4)) < 1


def test_protecting_every_row_beats_protecting_none(case, answer):
    errors = {
        rows: error(case, answer, CONTROLS[f"{rows}, per tensor, attention only"], Bits(8, 4))
        for rows in ("nothing", "BOS")
    }
    assert 0 < errors["BOS"] < errors["nothing"], "the start token is large here"
    everything = TAQ(protect="all", attention_only=True)
    assert error(case, answer, everything, Bits(8, 4)) < 1e-5


def test_attention_only_leaves_the_layers(case):
    found = (
        CONTROLS["BOS + trigger, per row, attention only"]
        .quantize(case.unet, case.calibration, Bits(4, 4))
        .about()
    )
    assert set(found["layers"].values()) == {(None, None)}
    for name, bits in found["attention"].items():
        assert set(bits.values()) == ({4} if name.endswith("attn2") else {None})
    assert found["protected"] == "trigger + BOS"


def test_weights_alone(case, answer):
    for name, method in METHODS.items():
        assert 0 < error(case, answer, method, Bits(8, None)) < 0.05, name


@pytest.mark.parametrize(
    ("name", "full", "quantized"),
    [
        (
            "per tensor",
            ["conv_in", "conv_out", "time_embedding.linear_2"],
            [".conv_shortcut", ".attn2.to_k"],
        ),
        (
            "per row",
            ["conv_in", "conv_out", "time_embedding.linear_2"],
            [".conv_shortcut", ".attn2.to_k"],
        ),
        (
            "Q-Diffusion",
            [],
            ["conv_in", "conv_out", "time_embedding.linear_1", ".conv_shortcut", ".time_emb_proj"],
        ),
        (
            "PTQD",
            [".conv_shortcut", "downsamplers.0.conv"],
            ["conv_in", "time_embedding.linear_1", "mid_block.resnets.0.conv1"],
        ),
        (
            "TFMQ-DM",
            [
                "conv_in",
                "conv_out",
                "time_embedding.linear_1",
                ".conv_shortcut",
                "downsamplers.0.conv",
            ],
            [".time_emb_proj", "upsamplers.0.conv"],
        ),
        (
            "DGQ",
            ["conv_in", "conv_out"],
            ["time_embedding.linear_1", ".conv_shortcut", "downsamplers.0.conv"],
        ),
        (
            "MixDQ (BOS row)",
            ["conv_in", "conv_out"],
            [".conv_shortcut", ".attn2.to_k", ".attn2.to_v"],
        ),
        (
            "TAQ",
            ["conv_in", "conv_out", "time_embedding.linear_2", ".attn2.to_k", ".attn2.to_v"],
            [".attn2.to_q"],
        ),
    ],
)
def test_layers_in_full_precision(case, name, full, quantized):
    layers = about(case, name)["layers"]
    for part in full:
        assert {bits for layer, bits in layers.items() if layer.endswith(part)} == {(None, None)}, (
            part
        )
    for part in quantized:
        found = {bits for layer, bits in layers.items() if layer.endswith(part)}
        assert found, part
        assert found <= {(4, 8), (8, 8)}, part


def test_first_and_last_convolution_of_ptqd_have_8_bits(case):
    layers = about(case, "PTQD", Bits(4, 4))["layers"]
    assert layers["conv_in"] == layers["conv_out"] == (8, 8)
    assert layers["mid_block.resnets.0.conv1"] == (4, 4)


def test_two_layers_of_tfmq_have_their_input_in_full_precision(case):
    layers = about(case, "TFMQ-DM")["layers"]
    assert layers["down_blocks.0.resnets.0.conv1"] == (4, None)
    assert layers["time_embedding.linear_2"] == (8, None), (
        "no 4-bit format takes 128 inputs of a Linear"
    )


@pytest.mark.parametrize(
    ("name", "self_attention", "cross_attention"),
    [
        ("per tensor", (None,) * 4, (4, 4, 4, 4)),
        ("per row", (None,) * 4, (4, 4, 4, 4)),
        ("Q-Diffusion", (4, 4, 4, 16), (4, 4, 4, 16)),
        ("PTQD", (None,) * 4, (None,) * 4),
        ("TFMQ-DM", (4, 4, 4, 8), (4, 4, 4, 8)),
        ("DGQ", (4, 4, 4, 4), (4, 4, 4, 4)),
        ("MixDQ (BOS row)", (None,) * 4, (None,) * 4),
        ("TAQ", (None,) * 4, (4, 4, 4, 4)),
        ("TAQ, all rows", (None,) * 4, (None,) * 4),
    ],
)
def test_bits_of_attention(case, name, self_attention, cross_attention):
    found = about(case, name, Bits(8, 4))["attention"]
    assert len(found) == 2 * 2, "one transformer down, one in the middle"
    for attention, bits in found.items():
        assert bits.keys() == {"q", "k", "v", "a"}
        assert tuple(bits.values()) == (
            cross_attention if attention.endswith("attn2") else self_attention
        )


def test_the_start_token_of_mixdq_is_projected_exactly(case):
    simulated = METHODS["MixDQ (BOS row)"].quantize(case.unet, case.calibration, Bits(4, 4))
    path = "mid_block.attentions.0.transformer_blocks.0.attn2.to_k"
    layer, original = simulated.unet.get_submodule(path), case.unet.get_submodule(path)
    assert isinstance(layer, ExactRowsLinear)
    text = case.held_out[0].text
    torch.testing.assert_close(layer(text)[:, 0], original(text)[:, 0])
    assert (layer(text)[:, 1:] - original(text)[:, 1:]).abs().amax(-1).min() > 1e-3, (
        "no other row is exact"
    )
    largest = simulated.context.points
    (point,) = [point for point in largest if point.name == path]
    assert point.quantizer._high < 10 < text[:, 0].max(), "the start token did not set the range"


def test_weights_of_other_bits_are_refused(case):
    with pytest.raises(ValueError, match="rounded to 4 bits, and W8A8 is asked for"):
        METHODS["per row"].quantize(case.unet, case.calibration, Bits(8, 8), case.rounded[4])


def test_other_steps_than_those_of_calibration_are_refused(case):
    call = case.held_out[0]
    for name in ("TFMQ-DM", "DGQ"):
        simulated = METHODS[name].quantize(case.unet, case.calibration, Bits(8, 8))
        with pytest.raises(ValueError, match="no sampling step 9"):
            simulated.eps(call.latents, call.timestep, call.text, None, 9, call.protected)


def test_where_concatenated_inputs_are_split():
    """The published split points of SD1.5."""
    diffusers = pytest.importorskip("diffusers", reason=DIFFUSERS)
    with torch.device("meta"):
        unet = diffusers.UNet2DConditionModel(**CONFIGS["sd15"])
    channels = concatenated_channels(unet)
    assert list(channels.values()) == [1280] * 7 + [640] * 3 + [320] * 2
    assert all(
        layer_weight(unet.get_submodule(name)).shape[1] > at for name, at in channels.items()
    )


def test_a_unet_with_added_conditions(answer):
    """SDXL's layout, in small."""
    unet = tiny_unet(
        block_out_channels=(32, 64),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        transformer_layers_per_block=(1, 2),
        attention_head_dim=(2, 4),
        use_linear_projection=True,
        addition_embed_type="text_time",
        addition_time_embed_dim=8,
        projection_class_embeddings_input_dim=16 + 6 * 8,
    )
    latents, text = torch.randn(1, 4, 8, 8), torch.randn(1, 9, 32)
    added = {"text_embeds": torch.randn(1, 16), "time_ids": torch.full((1, 6), 64.0)}
    conditional, marks = torch.tensor([True]), torch.zeros(1, 9, dtype=torch.bool)
    with torch.no_grad():
        eps = unet(latents, torch.tensor(999), text, added_cond_kwargs=added).sample
    call = Call(latents, torch.tensor(999), text, added, 0, conditional, marks, eps)
    for name, method in METHODS.items():
        simulated = method.quantize(unet, Calibration((call,), 1.0), Bits(8, 8))
        difference = (answer(simulated, call) - eps).norm() / eps.norm()
        assert 0 < difference < 0.3, name
        kept = simulated.about()["layers"]["add_embedding.linear_1"] == (None, None)
        assert kept == (name in ("per tensor", "per row") or name.startswith("TAQ"))
