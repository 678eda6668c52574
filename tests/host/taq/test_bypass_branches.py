"""Test LoRAs as bypass branches of quantized layers.

Their effect is exact, can be added and removed, and follows prompts and steps.
"""

from __future__ import annotations

import dataclasses
import gc
import weakref

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.hooks
import comfy.lora
import comfy.ops
import comfy.sd
import comfy.utils
from comfy.quant_ops import QuantizedTensor
from comfy.weight_adapter import LoHaAdapter, LoKrAdapter, LoRAAdapter

from personalq.nodes.host.taq import attention as taq_attention
from personalq.nodes.host.taq.bypass_branches import Branch
from personalq.nodes.host.taq.device_copies import DeviceCopies
from personalq.nodes.host.taq.low_rank_branch import LowRankBranch
from personalq.nodes.host.taq.model import QuantConfig, quantize_model
from personalq.nodes.host.taq.patcher import TAQPatcher
from personalq.nodes.host.taq.patches import can_bypass
from personalq.taq_kernels import PRESETS, quantized_ops
from personalq.tests.host.sampling import encode, nothing, quantized, relative_error, sample

LINEAR = comfy.ops.disable_weight_init.Linear(12, 10, bias=False)
CONV = comfy.ops.disable_weight_init.Conv2d(8, 6, 3, stride=2, padding=1, bias=False)
POINTS = comfy.ops.disable_weight_init.Conv2d(8, 6, 1, bias=False)


def rand(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def plain(adapter) -> tuple:
    return 0.7, adapter, 1.0, None, None


@pytest.fixture(scope="module")
def prompts(base):
    return encode(base[1], "a <bear> on grass"), encode(base[1], "blurry")


@pytest.fixture(scope="module")
def weights(lora):
    return comfy.utils.load_torch_file(str(lora))


def with_lora(model, weights, strength=1.0):
    return comfy.sd.load_lora_for_models(model, None, weights, strength, 0)[0]


@pytest.mark.parametrize(
    ("layer", "adapter"),
    [
        (LINEAR, LoRAAdapter(set(), (rand(10, 4), rand(4, 12), 2.0, None, None, None))),
        (LINEAR, LoRAAdapter(set(), (rand(10, 4), rand(4, 12), None, None, None, None))),
        (CONV, LoRAAdapter(set(), (rand(6, 4, 1, 1), rand(4, 8, 3, 3), 4.0, None, None, None))),
        (POINTS, LoRAAdapter(set(), (rand(6, 4), rand(4, 8), 4.0, None, None, None))),
        (
            LINEAR,
            LoHaAdapter(
                set(), (rand(10, 3), rand(3, 12), 2.0, rand(10, 3), rand(3, 12), None, None, None)
            ),
        ),
        (
            LINEAR,
            LoKrAdapter(set(), (rand(2, 3), rand(5, 4), 2.0, None, None, None, None, None, None)),
        ),
    ],
    ids=[
        "lora",
        "lora without alpha",
        "lora on a convolution",
        "lora on a 1x1 convolution",
        "loha",
        "lokr",
    ],
)
def test_a_branch_is_what_the_host_adds_to_the_weight(layer, adapter):
    patch = plain(adapter)
    assert can_bypass([patch])
    merged = comfy.lora.calculate_weight([patch], torch.zeros(layer.weight.shape), "key")
    x = rand(2, 5, 12) if layer is LINEAR else rand(2, 8, 6, 6)
    if layer is LINEAR:
        wanted = torch.nn.functional.linear(x, merged)
    else:
        wanted = torch.nn.functional.conv2d(x, merged, None, layer.stride, layer.padding)
    zero = torch.zeros_like(wanted)
    torch.testing.assert_close(
        Branch(layer, adapter, 0.7, DeviceCopies())(x, zero), wanted, rtol=1e-4, atol=1e-4
    )
    if LowRankBranch.takes(layer, adapter):
        made = LowRankBranch(layer, [patch], DeviceCopies())(x, zero)
        torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def lokr(first, second, alpha, *factors) -> LoKrAdapter:
    """A LoKr of whole matrices, or of `factors` (a1, b1, a2, b2, t2)."""
    return LoKrAdapter(set(), (first, second, alpha, *(factors or [None] * 5), None))


ROUND = comfy.ops.disable_weight_init.Conv2d(
    8, 6, 3, stride=2, padding=1, padding_mode="circular", bias=False
)


@pytest.mark.parametrize("layer", [CONV, ROUND], ids=["zeros", "circular"])
@pytest.mark.parametrize(
    "adapter",
    [
        lokr(rand(2, 4), None, 2.0, None, None, rand(3, 4), rand(4, 2 * 9), None),
        lokr(None, None, 2.0, rand(2, 5), rand(5, 4), rand(3, 4), rand(4, 2 * 9), None),
        lokr(rand(2, 4), rand(3, 2, 3, 3), 0.0),
        LoHaAdapter(
            set(), (rand(6, 3), rand(3, 72), 2.0, rand(6, 3), rand(3, 72), None, None, None)
        ),
    ],
    ids=["lokr", "lokr of two ranks", "lokr with alpha 0", "loha"],
)
def test_lycoris_on_a_convolution_is_what_the_host_adds_to_the_weight(layer, adapter):
    """In the shapes that LyCORIS writes."""
    difference = comfy.lora.calculate_weight([plain(adapter)], torch.zeros(6, 8, 3, 3), "key")
    x = rand(2, 8, 7, 7)
    x_padded, padding = quantized_ops.padded(layer, x)
    wanted = torch.nn.functional.conv2d(x_padded, difference, None, layer.stride, padding)
    assert wanted.any()
    made = Branch(layer, adapter, 0.7, DeviceCopies())(x, torch.zeros_like(wanted))
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def test_a_lokr_of_tucker_factors_is_their_product():
    """The host itself adds none: the kernel of its product lies elsewhere."""
    first, a, b, core = rand(2, 4), rand(4, 3), rand(4, 2), rand(4, 4, 3, 3)
    second = torch.einsum("ijkl,jr,ip->prkl", core, b, a) * (2.0 / 4)
    x = rand(2, 8, 7, 7)
    wanted = torch.nn.functional.conv2d(
        x, torch.kron(first[:, :, None, None], second.contiguous()) * 0.7, None, 2, 1
    )
    made = Branch(CONV, lokr(first, None, 2.0, None, None, a, b, core), 0.7, DeviceCopies())(
        x, torch.zeros_like(wanted)
    )
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def test_a_factored_lokr_on_linear_has_the_hosts_scale():
    adapter = lokr(None, None, 2.0, rand(2, 5), rand(5, 3), rand(5, 4), rand(4, 4), None)
    difference = comfy.lora.calculate_weight([plain(adapter)], torch.zeros(10, 12), "key")
    x = rand(2, 5, 12)
    made = Branch(LINEAR, adapter, 0.7, DeviceCopies())(x, torch.zeros(2, 5, 10))
    torch.testing.assert_close(
        made, torch.nn.functional.linear(x, difference), rtol=1e-4, atol=1e-4
    )


def lora_of(layer, rank: int, alpha: float | None, seed: int, dtype=torch.float32):
    """A plain LoRA of `layer`."""
    outputs, inputs, *kernel = layer.weight.shape
    generator = torch.Generator().manual_seed(seed)
    up = torch.randn(outputs, rank, *[1] * len(kernel), generator=generator).to(dtype)
    down = torch.randn(rank, inputs, *kernel, generator=generator).to(dtype)
    return LoRAAdapter(set(), (up, down, alpha, None, None, None))


@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("strengths", [(0.5, 0.5), (0.5, -1.25)])
@pytest.mark.parametrize("layer", [LINEAR, CONV, POINTS], ids=["linear", "3x3", "1x1"])
def test_loras_of_a_layer_run_as_one_branch_in_place(layer, strengths, order):
    """Their sum is that of a branch for each, in the host's own arithmetic."""
    loras = [lora_of(layer, 4, 4.0, 1), lora_of(layer, 3, 3.0, 2)]
    patches = [(s, lora, 1.0, None, None) for s, lora in zip(strengths, loras, strict=True)]
    x = rand(2, 5, 12) if layer is LINEAR else rand(2, 8, 6, 6).to(memory_format=order)
    out = torch.empty_like(layer(x)).normal_(generator=torch.Generator().manual_seed(3))
    wanted = out.clone()
    for strength, lora in zip(strengths, loras, strict=True):
        wanted = Branch(layer, lora, strength, DeviceCopies())(x, wanted)
    place = out.data_ptr()
    made = LowRankBranch(layer, patches, DeviceCopies())(x, out)
    assert made.data_ptr() == place
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def test_a_convolution_that_pads_in_circles_pads_so_in_its_branch():
    """As textures without seams need it; the host's own branch pads with zeros."""
    layer = comfy.ops.disable_weight_init.Conv2d(
        8, 6, 3, padding=1, padding_mode="circular", bias=False
    )
    lora, x = lora_of(layer, 4, None, 1), rand(2, 8, 6, 6)
    layer.weight.data = comfy.lora.calculate_weight([plain(lora)], torch.zeros(6, 8, 3, 3), "key")
    made = LowRankBranch(layer, [plain(lora)], DeviceCopies())(x, torch.zeros(2, 6, 6, 6))
    torch.testing.assert_close(made, layer(x), rtol=1e-4, atol=1e-4)


def test_what_was_not_copied_is_not_held():
    """Else every LoRA of a day stayed in memory where nothing has to be copied, as on a CPU."""
    copies = DeviceCopies()
    same, other = lora_of(LINEAR, 4, 4.0, 1), lora_of(LINEAR, 4, 4.0, 2, torch.float16)
    for lora in (same, other):
        LowRankBranch(LINEAR, [plain(lora)], copies)(rand(2, 12), rand(2, 10))
    assert copies.nbytes == 4 * (10 * 4 + 4 * 12)
    held = weakref.ref(same)
    del same, lora
    gc.collect()
    assert held() is None


def test_what_does_more_than_add_does_not_run_beside():
    up, down = rand(10, 4), rand(4, 12)
    dora = LoRAAdapter(set(), (up, down, 2.0, None, torch.ones(10, 1), None))
    lora = LoRAAdapter(set(), (up, down, 2.0, None, None, None))
    assert not can_bypass([plain(dora)])
    assert not can_bypass([plain(("diff", (rand(10, 12),)))])
    assert not can_bypass([plain(lora), (0.5, lora, 0.5, None, None)])  # the model's own strength
    assert not can_bypass([(0.5, lora, 1.0, (0, 0, 5), None)])  # a part of the weight


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


def test_a_branch_made_for_a_convolution_fits_the_same_layer_as_linear():
    adapter = LoRAAdapter(set(), (rand(10, 4, 1, 1), rand(4, 12, 1, 1), 2.0, None, None, None))
    x = rand(2, 5, 12)
    merged = comfy.lora.calculate_weight([plain(adapter)], torch.zeros(10, 12), "key")
    wanted = torch.nn.functional.linear(x, merged)
    torch.testing.assert_close(
        Branch(LINEAR, adapter, 0.7, DeviceCopies())(x, torch.zeros_like(wanted)),
        wanted,
        rtol=1e-4,
        atol=1e-4,
    )
