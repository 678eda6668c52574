"""Test LoRAs as bypass branches of quantized layers.

Their effect is exact, can be added and removed, and follows prompts and steps.
"""

from __future__ import annotations

import dataclasses

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.hooks
import comfy.lora
import comfy.ops
import comfy.sd
import comfy.utils
from comfy.quant_ops import QuantizedTensor

from personalq.nodes.host.taq import attention as taq_attention
from personalq.nodes.host.taq.model import QuantConfig, quantize_model
from personalq.nodes.host.taq.patcher import TAQPatcher
from personalq.taq_kernels import PRESETS
from personalq.tests.host.sampling import encode, nothing, quantized, relative_error, sample


@pytest.fixture(scope="module")
def prompts(base):
    return encode(base[1], "a <bear> on grass"), encode(base[1], "blurry")


@pytest.fixture(scope="module")
def weights(lora):
    return comfy.utils.load_torch_file(str(lora))


def with_lora(model, weights, strength=1.0):
    return comfy.sd.load_lora_for_models(model, None, weights, strength, 0)[0]


def test_before_and_after_are_the_same(model, prompts, weights):
    before = sample(quantized(with_lora(model, weights), "W4A8"), *prompts)
    after = sample(with_lora(quantized(model, "W4A8"), weights), *prompts)
    assert torch.equal(before, after)


def test_the_base_is_quantized_once_for_all_loras(model, weights):
    base = quantize_model(model, QuantConfig(PRESETS["W4A8"]), nothing)
    assert quantize_model(with_lora(model, weights), QuantConfig(PRESETS["W4A8"]), nothing) is base
    assert (
        quantize_model(with_lora(model, weights, 0.5), QuantConfig(PRESETS["W4A8"]), nothing)
        is base
    )


def test_strength_two_of_them_and_removal(model, prompts, weights):
    out = quantized(
        model, "W8"
    )  # no rounding of activations, which would answer to the order of a sum
    without = sample(out, *prompts)
    weak, strong = (sample(with_lora(out, weights, strength), *prompts) for strength in (0.3, 1.0))
    twice = sample(with_lora(with_lora(out, weights, 0.3), weights, 0.7), *prompts)
    assert relative_error(twice, strong) < 1e-4
    assert relative_error(weak, without) < relative_error(strong, without)
    assert torch.equal(sample(out, *prompts), without)


def test_beside_is_closer_than_within(demo_repository):
    """The LoRA itself loses nothing: its effect on 4-bit weights is nearer to its effect on full
    ones.
    """
    loaded = comfy.sd.load_checkpoint_guess_config(
        str(demo_repository / "checkpoints" / "demo_base.safetensors")
    )
    model, prompts = (
        loaded[0],
        (encode(loaded[1], "a photo of <bear-v4> on grass"), encode(loaded[1], "")),
    )
    weights = comfy.utils.load_torch_file(
        str(demo_repository / "loras" / "bear" / "bear_realistic_v4.safetensors")
    )
    exact = sample(with_lora(model, weights), *prompts)
    chosen, out = PRESETS["W4A8"], quantized(with_lora(model, weights), "W4A8")
    merged = with_lora(model, weights)
    merged.patches = {
        key: [(s, a, 1.0, None, lambda x: x) for s, a, *_ in found]
        for key, found in merged.patches.items()
    }
    made = quantize_model(merged, QuantConfig(dataclasses.replace(chosen, name="within")), nothing)
    within = TAQPatcher.with_patches_of(merged, made.patcher)
    taq_attention.install(within, "trigger + BOS", chosen.attention)
    assert all(".attn2.to_" in key for key in within.branch_patches())
    assert relative_error(sample(out, *prompts), exact) < relative_error(
        sample(within, *prompts), exact
    )


def hooked(conds, weights, strength=1.0, keyframes=None):
    group = comfy.hooks.create_hook_lora(weights, strength_model=strength, strength_clip=0.0)
    if keyframes:
        group.set_keyframes_on_hooks(keyframes)
    return [comfy.hooks.set_hooks_for_conditioning(cond, group) for cond in conds]


def test_a_hook_on_both_prompts_is_the_lora(model, prompts, weights):
    out = quantized(model, "W4A8")
    assert torch.equal(
        sample(out, *hooked(prompts, weights)), sample(with_lora(out, weights), *prompts)
    )
    assert torch.equal(sample(out, *prompts), sample(quantized(model, "W4A8"), *prompts))


def test_a_hook_on_one_prompt_is_for_that_prompt(model, prompts, weights):
    out = quantized(model, "W4A8")
    one = sample(out, hooked(prompts, weights)[0], prompts[1])
    assert not torch.equal(one, sample(out, *prompts))
    assert not torch.equal(one, sample(with_lora(out, weights), *prompts))
    wanted = sample(model, hooked(prompts, weights)[0], prompts[1])
    assert relative_error(one, wanted) < relative_error(sample(out, *prompts), wanted)


def test_a_scheduled_hook_follows_its_keyframes(model, prompts, weights):
    out = quantized(model, "W4A8")
    off = comfy.hooks.HookKeyframeGroup()
    off.add(comfy.hooks.HookKeyframe(strength=0.0))
    assert (
        relative_error(sample(out, *hooked(prompts, weights, keyframes=off)), sample(out, *prompts))
        < 1e-6
    )
    late = comfy.hooks.HookKeyframeGroup()
    late.add(comfy.hooks.HookKeyframe(strength=0.0))
    late.add(comfy.hooks.HookKeyframe(strength=1.0, start_percent=0.5))
    half = sample(out, *hooked(prompts, weights, keyframes=late), steps=4)
    for other in (out, with_lora(out, weights)):
        assert not torch.equal(half, sample(other, *prompts, steps=4))


def test_low_memory_keeps_the_quantized_path(model, prompts, weights):
    """Layers that the host leaves in main memory get no floats from it for what runs beside
    them.
    """
    out = with_lora(quantized(model, "W4A8"), weights)
    wanted = sample(out, *prompts)
    out.unpatch_model()
    out.load(torch.device("cpu"), lowvram_model_memory=1)
    layers = [
        layer
        for layer in out.model.diffusion_model.modules()
        if getattr(layer, "quant_format", None)
    ]
    assert layers
    assert all(layer.comfy_cast_weights and not layer.weight_function for layer in layers)
    assert relative_error(sample(out, *prompts), wanted) < 1e-5
    out.partially_unload(torch.device("cpu"), 1e12)
    assert not any(layer.weight_function for layer in layers)
    assert relative_error(sample(out, *prompts), wanted) < 1e-5


def test_a_change_of_lora_moves_no_weight(model, prompts, weights):
    """The host takes all weights off a device where patches of weights change."""
    out = quantized(model, "W4A8")
    sample(out, *prompts)
    loaded = []
    one, other = with_lora(out, weights), with_lora(out, weights, 0.5)
    one.add_callback_with_key("on_load_after", "watch", lambda *_: loaded.append("one"))
    for patcher in (one, other, one):
        sample(patcher, *prompts)
        assert patcher.model.current_weight_patches_uuid == patcher.patches_uuid
    assert not one.backup
    assert not loaded


def test_what_is_saved_has_the_lora(model, prompts, weights, tmp_path):
    """Added to the weights: a file has no place for what runs beside them."""
    out = quantized(model, "W8A8")
    personal = with_lora(out, weights)
    wanted = sample(personal, *prompts)
    with torch.inference_mode():  # as ComfyUI runs nodes
        for patcher, name in ((out, "base"), (personal, "personal")):
            comfy.sd.save_checkpoint(str(tmp_path / f"{name}.safetensors"), patcher)
    base, saved = (
        comfy.utils.load_torch_file(str(tmp_path / f"{name}.safetensors"), safe_load=True)
        for name in ("base", "personal")
    )
    block = "model.diffusion_model.middle_block.1.transformer_blocks.0"
    for name in (f"{block}.ff.net.2.weight", f"{block}.attn2.to_k.weight"):
        assert saved[name].dtype == base[name].dtype
        assert not torch.equal(saved[name], base[name])
    assert torch.equal(sample(personal, *prompts), wanted)


def test_what_is_saved_loads_in_the_hosts_own_loader(model, prompts, weights, tmp_path):
    """It does not know our formats of convolutions, so these are saved in full precision."""
    personal = with_lora(quantized(model, "W8A8"), weights)
    wanted = sample(personal, *prompts)
    path = str(tmp_path / "personal.safetensors")
    with torch.inference_mode():
        comfy.sd.save_checkpoint(path, personal)
    loaded = comfy.sd.load_diffusion_model(path)
    assert relative_error(sample(loaded, *prompts), wanted) < 0.1
    names = dict(loaded.model.diffusion_model.named_parameters())
    assert isinstance(names["middle_block.1.transformer_blocks.0.ff.net.2.weight"], QuantizedTensor)


def test_a_bypass_lora_before_taq_is_refused(model, weights):
    bypassed = comfy.sd.load_bypass_lora_for_models(model, None, weights, 1.0, 0)[0]
    with pytest.raises(ValueError, match=r"bypass.*Use the plain LoRA loader"):
        quantized(bypassed)


def test_a_bypass_lora_after_taq_counts_in_keys_and_values(model, prompts, weights):
    out = quantized(model)
    without = sample(out, *prompts)
    bypassed = comfy.sd.load_bypass_lora_for_models(out, None, weights, 1.0, 0)[0]
    with_it = sample(bypassed, *prompts)
    assert not torch.equal(with_it, without)
    assert torch.equal(sample(out, *prompts), without)
