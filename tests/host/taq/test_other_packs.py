"""Test a quantized MODEL with other packs' changes to cross-attention."""

from __future__ import annotations

from functools import partial

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from comfy_extras import nodes_model_merging

from personalq.nodes.host.taq.operations import TextLinear
from personalq.nodes.host.text import token_mask
from personalq.taq_kernels import quantized_ops
from personalq.tests.host.sampling import encode, quantized, relative_error, sample

BOUND = 0.1
"""Of the relative error of W8A8 on random weights."""
LAYERS = 4
"""Cross-attentions of the base."""


def _of_another_text(forward, block, x, context=None, transformer_options=None):
    return forward(block, x, -context, transformer_options)


@pytest.fixture(scope="module")
def marked(base):
    rows = torch.zeros(77)
    rows[[5, 6]] = 1
    return token_mask.attach(encode(base[1], "a photo of a bear on a table"), rows)


@pytest.fixture
def projected(monkeypatch):
    """How often the text was projected."""
    calls = []
    project = TextLinear.project
    monkeypatch.setattr(
        TextLinear, "project", lambda layer, text: calls.append(layer) or project(layer, text)
    )
    return calls


def test_a_patch_that_changes_nothing_reads_the_prompt_cache(model, marked, negative, projected):
    out = quantized(model)
    plain = sample(out, marked, negative, steps=4)
    assert len(projected) == 2 * LAYERS
    out.set_model_attn2_patch(lambda q, context, value, options: (q, context, value))
    assert torch.equal(sample(out, marked, negative, steps=4), plain)
    assert len(projected) == 2 * LAYERS


def test_a_patch_that_changes_the_text_projects_it_once(model, marked, negative, projected):
    """As regional prompts and image prompts do: the same other text at every step."""

    def longer(q, context, value, options):
        return q, torch.cat((context, 0.5 * context), 1), torch.cat((value, 0.5 * value), 1)

    patched = model.clone()
    patched.set_model_attn2_patch(longer)
    out = quantized(patched)
    result = sample(out, marked, negative, steps=4)
    assert len(projected) == 2 * LAYERS
    assert relative_error(result, sample(patched, marked, negative, steps=4)) < BOUND
    assert relative_error(result, sample(quantized(model), marked, negative, steps=4)) > 0.001


def test_prompts_of_many_regions_are_projected_once(model, marked, negative, projected):
    """Regions of different sizes are a call of the model each, again in every step."""
    sizes = [(8 * height, 8 * width) for height in (1, 2, 3) for width in (1, 2, 3)]
    regions = [
        [(1 + number) * text, {**given, "area": (*size, 0, 0), "strength": 1.0}]
        for number, size in enumerate(sizes)
        for text, given in marked
    ]
    sample(quantized(model), regions, negative, size=24, steps=3)
    assert len(projected) <= 2 * LAYERS * (len(sizes) + 1)


def test_a_pack_that_takes_a_layer_over_has_its_text_projected_once(
    model, marked, negative, projected
):
    def attend(q, k, v, options):
        heads = options["n_heads"]
        split = [x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (q, k, v)]
        return torch.nn.functional.scaled_dot_product_attention(*split).transpose(1, 2).flatten(2)

    replaced = model.clone()
    replaced.set_model_attn2_replace(attend, "middle", 0)
    result = sample(quantized(replaced), marked, negative, steps=4)
    assert len(projected) == 2 * LAYERS
    assert relative_error(result, sample(replaced, marked, negative, steps=4)) < BOUND


def test_a_lora_between_two_runs_is_in_what_is_projected_anew(model, lora, marked, negative):
    """The text is remembered with the weights that it was projected by."""
    from personalq.tests.host.taq.test_model import with_lora

    def longer(q, context, value, options):
        return q, torch.cat((context, context), 1), torch.cat((value, value), 1)

    patched = model.clone()
    patched.set_model_attn2_patch(longer)
    out = quantized(patched)
    plain = sample(out, marked, negative)
    personal = sample(with_lora(out, lora), marked, negative)
    assert not torch.equal(personal, plain)
    assert relative_error(personal, sample(with_lora(patched, lora), marked, negative)) < BOUND
    assert torch.equal(sample(out, marked, negative), plain)


@pytest.mark.parametrize("protect", ["all", "trigger + BOS"])
def test_attention_of_another_pack_is_asked_in_every_layer(model, marked, negative, protect):
    seen = []

    def override(attention, q, k, v, heads, **options):
        seen.append(k.shape[1])
        return attention(q, k, v, heads, **options)

    def asked(patcher):
        seen.clear()
        patcher.model_options["transformer_options"]["optimized_attention_override"] = override
        return sample(patcher, marked, negative), sorted(seen)

    wanted, stock = asked(model.clone())
    result, ours = asked(quantized(model, protect=protect))
    assert ours == stock
    assert ours.count(77) == LAYERS * 2
    assert relative_error(result, wanted) < BOUND


def test_another_text_than_the_prompt_is_not_taken_from_its_cache(
    model, marked, negative, monkeypatch
):
    """A pack that runs a block with a text of its own, without a patch that says so."""
    block = model.model.diffusion_model.middle_block[1].transformer_blocks[0]
    out = quantized(model)
    quantized_block = out.model.diffusion_model.middle_block[1].transformer_blocks[0]
    plain = sample(out, marked, negative)
    forward = type(block).forward
    for one in (block, quantized_block):
        monkeypatch.setattr(one, "forward", partial(_of_another_text, forward, one))
    result = sample(out, marked, negative)
    assert not torch.equal(result, plain)
    assert relative_error(result, sample(model, marked, negative)) < BOUND


def _in_circles(layer, x, weight, bias):
    """What packs for seamless textures put in the place of torch's convolution."""
    padded = torch.nn.functional.pad(x, layer._reversed_padding_repeated_twice, mode="circular")
    return torch.nn.functional.conv2d(padded, weight, bias, layer.stride, 0)


@pytest.mark.parametrize("preset", ["W8A8", "W8A4", "W4A8", "W8"])
def test_a_pack_that_takes_a_convolution_over_is_asked(model, preset, monkeypatch):
    """It pads in circles as the layer does if it is told to, and then puts torch's own back."""
    unet = quantized(model, preset).model.diffusion_model
    layer = unet.middle_block[0].in_layers[-1]
    x = torch.randn(2, layer.in_channels, 6, 5, generator=torch.Generator().manual_seed(0))
    plain = layer(x)
    with monkeypatch.context() as told:
        told.setattr(layer, "padding_mode", "circular")
        wanted = layer(x)
    monkeypatch.setattr(quantized_ops, "takes_norm", lambda *_: True)  # as on a graphics card
    assert layer.takes_norm(x.device)
    with monkeypatch.context() as replaced:
        replaced.setattr(layer, "_conv_forward", partial(_in_circles, layer))
        assert relative_error(layer(x), wanted) < 1e-5 < relative_error(plain, wanted)
        assert not layer.takes_norm(x.device)
    layer._conv_forward = torch.nn.Conv2d._conv_forward.__get__(layer)
    assert torch.equal(layer(x), plain)
    assert layer.takes_norm(x.device)
    del layer._conv_forward


def test_merging_after_taq_says_what_to_do(model):
    out = quantized(model)
    for first in (model, out):
        with pytest.raises(ValueError, match="Merge the full-precision models"):
            nodes_model_merging.ModelMergeSimple().merge(first, out.clone(), 0.5)
