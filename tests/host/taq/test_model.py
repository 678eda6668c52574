"""Test a quantized copy of a real MODEL.

What it stores, what it draws, and what ComfyUI can still do with it.
"""

from __future__ import annotations

import copy
import dataclasses
import json

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.hooks
import comfy.model_management
import comfy.sd
import comfy.utils
import nodes as host_nodes
from comfy import model_base
from comfy.model_base import ModelType
from comfy.quant_ops import QuantizedTensor
from comfy_api.torch_helpers import set_torch_compile_wrapper
from comfy_extras.nodes_model_advanced import ModelSamplingDiscrete

from personalq.nodes.host.models.pool import POOL
from personalq.nodes.host.taq import attention as taq_attention
from personalq.nodes.host.taq import step as taq_step
from personalq.nodes.host.taq.model import QuantConfig, quantize_model
from personalq.nodes.host.taq.operations import TextLinear
from personalq.nodes.host.taq.patcher import TAQPatcher
from personalq.nodes.host.text import token_mask
from personalq.taq_kernels import PRESETS, PROTECT, AttentionSpec
from personalq.tests.host.sampling import STEPS, encode, nothing, quantized, relative_error, sample


def with_lora(model, path, strength=1.0):
    return comfy.sd.load_lora_for_models(
        model, None, comfy.utils.load_torch_file(str(path)), strength, 0
    )[0]


@pytest.fixture(scope="module")
def prompts(base):
    rows = torch.zeros(77)
    rows[2:6] = 1
    positive = token_mask.attach(encode(base[1], "a <bear> on grass"), rows)
    return positive, encode(base[1], "blurry")


@pytest.fixture(scope="module")
def exact(model, prompts):
    return sample(model, *prompts)


@pytest.mark.parametrize(("preset", "bound"), [("W8A8", 0.1), ("W4A8", 0.3)])
def test_draws_nearly_the_same(model, prompts, exact, preset, bound):
    error = relative_error(sample(quantized(model, preset), *prompts), exact)
    assert 0 < error < bound


def test_original_model_is_left_bit_identical(model, prompts, exact):
    sample(quantized(model), *prompts)
    assert torch.equal(sample(model, *prompts), exact)


def test_more_bits_are_closer(model, prompts, exact):
    eight, four = (
        relative_error(sample(quantized(model, name), *prompts), exact) for name in ("W8A8", "W4A8")
    )
    assert eight < four


@pytest.mark.parametrize("preset", list(PRESETS))
def test_stores_what_it_reports(model, preset):
    """The host counts every tensor of the module too, and the few bytes that name each format."""
    made = quantize_model(model, QuantConfig(PRESETS[preset]), nothing)
    unet = made.patcher.model.diffusion_model
    names = sum(
        tensor.nbytes for key, tensor in unet.state_dict().items() if key.endswith("comfy_quant")
    )
    assert made.report.bytes_in_memory == comfy.model_management.module_size(unet) - names
    layers = (
        module
        for module in unet.modules()
        if isinstance(getattr(module, "weight", None), QuantizedTensor)
    )
    assert {type(layer).__name__ for layer in layers} == {"Linear", "Conv2d"}


def test_text_projections_stay_in_main_memory(model):
    unet = quantize_model(
        model, QuantConfig(PRESETS["W8A8"]), nothing
    ).patcher.model.diffusion_model
    text = [
        module
        for name, module in unet.named_modules()
        if name.endswith(("attn2.to_k", "attn2.to_v"))
    ]
    assert len(text) == 8
    for module in text:
        assert not isinstance(module.weight, QuantizedTensor)
        assert module.to("meta").weight.device.type == "cpu"


def test_model_moves_in_and_out_of_inference_mode(model, prompts):
    """Nodes run in inference mode; the host frees memory between runs without it."""
    preset = dataclasses.replace(PRESETS["W8A8"], name="made in inference mode")
    with torch.inference_mode():
        made = quantize_model(model, QuantConfig(preset), nothing).patcher.model.diffusion_model
    for _ in range(2):
        made.to("cpu")
        with torch.inference_mode():
            made.to("cpu")
    layers = (
        8 * 3 + 4 + 2 + 4 * 10
    )  # of 8 residual blocks, their 4 shortcuts, both changes of size, 4 transformers
    assert sum(isinstance(weight, QuantizedTensor) for weight in made.parameters()) == layers
    with torch.inference_mode():
        sample(quantized(model), *prompts)


def test_text_is_projected_once_for_all_steps(model, prompts, monkeypatch):
    out = quantized(model)
    projected = []
    to_k = [
        module
        for name, module in out.model.diffusion_model.named_modules()
        if name.endswith("attn2.to_k")
    ]
    project = TextLinear.project

    def watched(layer, text):
        if layer in to_k:
            projected.append(len(text))
        return project(layer, text)

    monkeypatch.setattr(TextLinear, "project", watched)
    sample(out, *prompts, steps=4, batch=3)
    assert (
        projected == [2] * 4
    )  # two prompts, which the batch repeats, in each of the four cross-attentions


def test_second_quantization_comes_from_the_pool(model):
    first = quantize_model(model, QuantConfig(PRESETS["W8A8"]), nothing)
    calls = []
    second = quantize_model(
        model.clone(), QuantConfig(PRESETS["W8A8"]), lambda *progress: calls.append(progress)
    )
    assert second is first
    assert not calls
    assert POOL.bytes >= first.patcher.model_size()


def test_each_device_has_its_own(model):
    """As the host's node Select Model Device asks for; some weights are stored otherwise there."""
    there = model.clone()
    there.load_device = torch.device("meta")
    here, other = (
        quantize_model(one, QuantConfig(PRESETS["W8A8"]), nothing).patcher for one in (model, there)
    )
    assert (here.load_device, other.load_device) == (model.load_device, there.load_device)
    assert here.model is not other.model


def test_pads_as_the_model_that_it_is_made_of(model, prompts, exact, monkeypatch):
    """A node for seamless textures changes the MODEL itself; without it, nothing of it is left."""
    with monkeypatch.context() as told:
        for layer in model.model.modules():
            if isinstance(layer, torch.nn.Conv2d):
                told.setattr(layer, "padding_mode", "circular")
        wanted = sample(model, *prompts)
        assert relative_error(sample(quantized(model, "W8"), *prompts), wanted) < 0.05
    assert relative_error(exact, wanted) > 0.2
    assert relative_error(sample(quantized(model, "W8"), *prompts), exact) < 0.05


def test_equal_weights_keep_the_sampling_of_their_own_checkpoint(model):
    twin = model.clone()
    twin.model = copy.copy(model.model)
    twin.model._modules = dict(model.model._modules)
    config = model.model.model_config
    twin.model.model_sampling = model_base.model_sampling(config, ModelType.V_PREDICTION)
    for source in (model, twin, model):
        pooled = quantize_model(source, QuantConfig(PRESETS["W8A8"]), nothing).patcher
        made = TAQPatcher.with_patches_of(source, pooled).get_model_object("model_sampling")
        wanted = source.get_model_object("model_sampling")
        assert type(made).__bases__ == type(wanted).__bases__


def test_a_lora_of_another_base_is_left_out_where_it_does_not_fit(model, prompts, exact, lora):
    patched = with_lora(model, lora)
    key, (patch, *_) = next(iter(patched.patches.items()))
    strength, adapter, *rest = patch
    up, down, *others = adapter.weights
    narrow = type(adapter)(adapter.loaded_keys, (up, down[:, : down.shape[1] // 2], *others))
    misfit = model.clone()
    misfit.patches = {key: [(strength, narrow, *rest)]}
    wanted = sample(quantized(model), *prompts)
    assert torch.equal(sample(quantized(misfit), *prompts), wanted)


def test_a_lora_of_another_base_after_taq_is_left_out_with_a_warning(model, prompts, lora, caplog):
    """Also in a hook. The host goes on, with an error for each layer."""
    weights = comfy.utils.load_torch_file(str(lora))
    wide = {
        key: torch.cat((value, value), 1) if key.endswith("lora_down.weight") else value
        for key, value in weights.items()
    }
    out = quantized(model)
    wanted = sample(out, *prompts)
    after = comfy.sd.load_lora_for_models(out, None, wide, 1.0, 0)[0]
    assert after.patches
    assert torch.equal(sample(after, *prompts), wanted)
    assert sum("do not fit the model" in line for line in caplog.messages) == 1
    hook = comfy.hooks.create_hook_lora(wide, 1.0, 0.0)
    hooked = [comfy.hooks.set_hooks_for_conditioning(prompt, hook) for prompt in prompts]
    assert torch.equal(sample(out, *hooked), wanted)


def test_a_difference_for_every_parameter_is_quantized_with_the_weights(model, prompts):
    """As a pack for IC-Light adds them before TAQ: `(tensor,)`, also for biases."""
    generator = torch.Generator().manual_seed(0)
    changed = model.clone()
    changed.add_patches(
        {
            key: (0.02 * torch.randn(value.shape, generator=generator),)
            for key, value in model.model.state_dict().items()
            if key.startswith("diffusion_model.")
        }
    )
    wanted, plain = sample(changed, *prompts), sample(model, *prompts)
    result = sample(quantized(changed), *prompts)
    assert relative_error(result, wanted) < relative_error(plain, wanted) / 2


def test_two_settings_of_one_model_do_not_mix(model, prompts):
    """They share their modules, and the host keeps whichever was sampled last loaded."""
    nothing, everything = quantized(model, protect="none"), quantized(model, protect="all")
    first = sample(nothing, *prompts)
    second = sample(everything, *prompts)
    assert not torch.equal(first, second)
    assert torch.equal(sample(nothing, *prompts), first)
    assert torch.equal(sample(everything, *prompts), second)


def test_protection_follows_the_trigger(base, model, prompts):
    """The same text, marked or not, differs only when the marked rows are protected."""
    positive, negative = prompts
    unmarked = encode(base[1], "a <bear> on grass")
    by_trigger, by_start = quantized(model, protect="trigger"), quantized(model, protect="BOS")
    assert not torch.equal(
        sample(by_trigger, positive, negative), sample(by_trigger, unmarked, negative)
    )
    assert torch.equal(sample(by_start, positive, negative), sample(by_start, unmarked, negative))


def test_protecting_everything_is_the_hosts_own_attention(model, prompts, exact, monkeypatch):
    """On unquantized weights. The host's attention reads the cached keys and values."""
    calls = []
    attention = taq_step.optimized_attention
    monkeypatch.setattr(
        taq_step,
        "optimized_attention",
        lambda *given, **options: calls.append(given) or attention(*given, **options),
    )
    out = model.clone()
    taq_attention.install(out, "all", AttentionSpec(q_bits=4, kv_bits=4, a_bits=4))
    assert relative_error(sample(out, *prompts), exact) < 1e-6
    assert len(calls) == 4 * STEPS, "each cross-attention in each step"
    taq_attention.install(out, "none", AttentionSpec(kv_bits=4, a_bits=4))
    assert relative_error(sample(out, *prompts), exact) > 1e-4


def test_lora_before_taq_counts(model, prompts, lora):
    personal = with_lora(model, lora)
    wanted = sample(personal, *prompts)
    result = sample(quantized(personal), *prompts)
    assert relative_error(result, wanted) < relative_error(result, sample(model, *prompts))
    assert not torch.equal(result, sample(quantized(model), *prompts))


def test_lora_before_taq_leaves_the_source_alone(model, prompts, exact, lora):
    quantized(with_lora(model, lora))
    assert torch.equal(sample(model, *prompts), exact)


def test_a_difference_that_cannot_run_beside_is_quantized_with_the_weights(model, prompts):
    """What merging models and full fine-tunes add."""
    name = next(
        key for key in model.model.state_dict() if key.endswith("middle_block.1.proj_in.weight")
    )
    difference = torch.randn(320, 320, 1, 1, generator=torch.Generator().manual_seed(0)) * 0.1
    merged = model.clone()
    merged.add_patches({name: (difference,)}, 1.0)
    wanted, plain = sample(merged, *prompts), sample(model, *prompts)
    out = quantized(merged)
    assert not out.patches
    assert relative_error(sample(out, *prompts), wanted) < relative_error(plain, wanted) / 2
    after = quantized(model)
    after.add_patches({name: (difference,)}, 1.0)
    assert relative_error(sample(after, *prompts), wanted) < relative_error(plain, wanted) / 2


@pytest.mark.parametrize("protect", PROTECT)
def test_every_choice_of_rows_runs(model, prompts, protect):
    spec = AttentionSpec(q_bits=8, kv_bits=4, a_bits=4)
    assert torch.isfinite(sample(quantized(model, protect=protect, spec=spec), *prompts)).all()


def test_measured_rows_differ_from_named_ones_and_stay_the_same_in_all_steps(model, prompts):
    spec = AttentionSpec(kv_bits=3)
    measured, named = (
        quantized(model, protect=protect, spec=spec) for protect in ("as measured", "trigger + BOS")
    )
    first = sample(measured, *prompts)
    assert not torch.equal(first, sample(named, *prompts))
    assert torch.equal(first, sample(measured, *prompts))


@pytest.mark.parametrize("preset", ["W8A4", "W4A4", "W8", "W4"])
def test_presets_without_integer_products(model, prompts, exact, preset):
    error = relative_error(sample(quantized(model, preset), *prompts), exact)
    assert 0 < error < {"W8": 0.05, "W4": 0.3}.get(preset, 1.5)


def test_layers_of_their_own_bits(model):
    config = QuantConfig(PRESETS["W4A8"], (("*.ff.*", None), ("*.attn1.*", 8)))
    made = quantize_model(model, config, nothing).report
    bits = {total.group: total.bits for total in made.groups()}
    assert (bits["feed-forward"], bits["self-attention"], bits["resblock conv"]) == (
        (16,),
        (8,),
        (4,),
    )
    with pytest.raises(ValueError, match="no layer is called"):
        quantize_model(model, QuantConfig(PRESETS["W4A8"], (("*.nothing", 8),)), nothing)


def test_patches_of_other_nodes_survive(model, prompts):
    """A sampler setting and a cross-attention patch made before TAQ still act after it."""
    seen = []

    def look(x, context, value, options):
        seen.append(options["sigmas"])
        return x, context * 0.5, value * 0.5

    changed = ModelSamplingDiscrete().patch(model, "v_prediction", False)[0]
    plain = quantized(changed)
    changed.set_model_attn2_patch(look)
    patched = quantized(changed)
    assert not torch.equal(sample(plain, *prompts), sample(quantized(model), *prompts))
    assert not torch.equal(sample(patched, *prompts), sample(plain, *prompts))
    assert len(seen) == 4 * STEPS


def test_attn2_replacement_gets_keys_and_values(model, prompts):
    """What IPAdapter-like packs do: they take over a block's attention after K and V are
    projected.
    """
    out = quantized(model)
    before = sample(out, *prompts)
    shapes = []

    def replace(q, k, v, options):
        shapes.append((k.shape, v.shape))
        return q

    out.set_model_attn2_replace(replace, "middle", 0)
    assert not torch.equal(sample(out, *prompts), before)
    assert shapes[0] == (torch.Size([2, 77, 320]), torch.Size([2, 77, 320]))


def test_saved_state_names_the_formats(model):
    """The host's own naming, so that a file of these weights can be told from another."""
    unet = quantize_model(
        model, QuantConfig(PRESETS["W4A8"]), nothing
    ).patcher.model.diffusion_model
    state = unet.state_dict()
    formats = {
        json.loads(bytes(state[key].tolist()))["format"]
        for key in state
        if key.endswith("comfy_quant")
    }
    assert formats == {"asym_w4a8_int8", "int8_tensorwise", "personalq_int4_conv"}


def test_unsupported_model_is_refused_with_the_list(model):
    class Flux:
        pass

    other = model.clone()
    config = other.model.model_config
    other.model.model_config = Flux()
    try:
        with pytest.raises(
            ValueError, match=r"does not support this model \(Flux\).*SD 1\.5.*SDXL"
        ):
            quantize_model(other, QuantConfig(PRESETS["W8A8"]), nothing)
    finally:
        other.model.model_config = config


def test_quantized_model_is_refused(model):
    with pytest.raises(ValueError, match="quantized already"):
        quantize_model(quantized(model), QuantConfig(PRESETS["W8A8"]), nothing)


def test_compiled_model_is_refused(model):
    """What is compiled is the model itself, which sampling would run in full precision."""
    compiled, patched = model.clone(), model.clone()
    set_torch_compile_wrapper(compiled, backend="eager")
    unet = torch.compile(model.model.diffusion_model, backend="eager")
    patched.add_object_patch("diffusion_model", unet)  # as other packs do
    for one in (compiled, patched):
        with pytest.raises(ValueError, match="after TAQ"):
            quantized(one)


def test_packed_weights_are_refused(model, monkeypatch):
    """Those of a GGUF file are bytes, which the layers of its pack decode when they run."""
    layer = model.model.diffusion_model.middle_block[1].transformer_blocks[0].attn1.to_q
    packed = torch.nn.Parameter(torch.zeros(320, 340, dtype=torch.uint8), requires_grad=False)
    monkeypatch.setitem(layer._parameters, "weight", packed)
    with pytest.raises(ValueError, match="quantized already"):
        quantize_model(model, QuantConfig(PRESETS["W8A8"]), nothing)


def test_runs_in_the_stock_sampler_node(model, prompts):
    """What the canvas does."""
    latent = host_nodes.EmptyLatentImage().generate(64, 64)[0]
    sampled = host_nodes.KSampler().sample(
        quantized(model), 1, 2, 7.0, "euler", "normal", *prompts, latent
    )[0]
    assert torch.isfinite(sampled["samples"]).all()
