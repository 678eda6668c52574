"""The node's arithmetic is that of the kernels' functions, which the benchmarks run too.

`tests/bench/baselines/test_shipped.py` holds the benchmarks against the same functions.
"""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from comfy.quant_ops import QuantizedTensor

from personalq.nodes.host.text import token_mask
from personalq.taq_kernels import PRESETS, cross_attention, quantized_ops
from personalq.taq_kernels.families import is_cross_attention
from personalq.tests.host.sampling import encode, quantized, sample

TRIGGER = slice(2, 6)


@pytest.fixture(scope="module")
def prompts(base):
    rows = torch.zeros(77)
    rows[TRIGGER] = 1
    positive = token_mask.attach(encode(base[1], "a <bear> on grass"), rows)
    return positive, encode(base[1], "blurry")


@pytest.mark.parametrize("preset", ["W8A8", "W4A8", "W8A4", "W4A4", "W8"])
def test_every_layer_is_the_kernels_function_of_its_input(model, prompts, preset):
    out = quantized(model, preset)
    unet, acts, calls = out.model.diffusion_model, PRESETS[preset].activations, []
    layers = [one for one in unet.modules() if isinstance(_weight(one), QuantizedTensor)]
    hooks = [
        layer.register_forward_hook(
            lambda layer, given, made: calls.append((layer, given[0], made))
        )
        for layer in layers
    ]
    sample(out, *prompts, steps=1)
    for hook in hooks:
        hook.remove()
    assert {layer for layer, *_ in calls} == set(layers)
    assert len(layers) > 30
    for layer, x, made in calls:
        weight, bias = _weight(layer), layer.bias
        if weight.dim() == 4:
            geometry = layer.stride, layer.padding, layer.dilation, layer.groups
            expected = quantized_ops.conv2d(x, weight, bias, acts, *geometry)
        else:
            expected = quantized_ops.linear(x, weight, bias, acts)
        torch.testing.assert_close(made, expected)


@pytest.mark.parametrize("preset", ["W8A8", "W8A4"])
def test_every_cross_attention_is_the_papers_equations(model, prompts, preset):
    """With the trigger's tokens and BOS protected, and BOS alone in the negative prompt."""
    out = quantized(model, preset)
    unet, calls = out.model.diffusion_model, []
    attentions = [one for name, one in unet.named_modules() if is_cross_attention(name)]
    hooks = [
        layer.register_forward_hook(
            lambda layer, given, made: calls.append((layer, given[0], made))
        )
        for attn in attentions
        for layer in (attn.to_q, attn.to_out)
    ]
    seen = []
    hooks.append(
        unet.register_forward_pre_hook(
            lambda _, given, options: seen.append(options), with_kwargs=True
        )
    )
    sample(out, *prompts, steps=1)
    for hook in hooks:
        hook.remove()
    [options] = seen
    context = options["context"]
    protected = torch.zeros(context.shape[:2], dtype=torch.bool)
    protected[:, 0] = True
    protected[options["transformer_options"]["cond_or_uncond"].index(0), TRIGGER] = True
    found = {layer: (given, made) for layer, given, made in calls}
    assert len(found) == len(calls) == 2 * len(attentions)
    for attn in attentions:
        (_, q), (given, _) = found[attn.to_q], found[attn.to_out]
        k, v = (layer.project(context.to(q.dtype)) for layer in (attn.to_k, attn.to_v))
        expected = cross_attention(q, k, v, attn.heads, protected, PRESETS[preset].attention)
        torch.testing.assert_close(given, expected, atol=1e-5, rtol=1e-4)
        every = cross_attention(q, k, v, attn.heads, None, PRESETS[preset].attention)
        assert not torch.allclose(given, every, atol=1e-5, rtol=1e-4), "some are protected"


def _weight(layer):
    return getattr(layer, "weight", None)
