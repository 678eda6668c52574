"""Test TAQ on cross-attention transformers: Anima and Wan, tiny and of random weights."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.lora_convert
import comfy.model_management
import comfy.sd
import folder_paths
from comfy.quant_ops import QuantizedTensor

from personalq.nodes.host.models.pool import POOL
from personalq.nodes.host.taq import attention as taq_attention
from personalq.nodes.host.taq import sensitivity
from personalq.nodes.host.taq import step as taq_step
from personalq.nodes.host.taq.files import residual_path
from personalq.nodes.host.taq.model import QuantConfig, file_metadata, quantize_model
from personalq.nodes.host.taq.operations import Offloaded, TextLinear
from personalq.nodes.host.taq.run_report import run_report
from personalq.nodes.host.taq.sensitivity import Sampling, Token
from personalq.taq_kernels import PRESETS, PROTECT, AttentionSpec
from personalq.taq_kernels.storage.files import write_quantized
from personalq.taq_kernels.storage.low_rank_residual import make_low_rank_residual
from personalq.tests.host.sampling import nothing, quantized, relative_error
from personalq.tests.host.taq.transformers import (
    BLOCKS,
    KOHYA,
    STEPS,
    TINY,
    load,
    lora_of,
    prompt,
    sample,
    state_of,
)

EVERY = pytest.mark.parametrize("name", list(TINY))
FAMILIES = pytest.mark.parametrize("name", ["anima", "wan21-t2v"])
WHOLE = QuantConfig(PRESETS["W8A8"], (("*", None),))
"""No layer is quantized."""


@pytest.fixture(scope="module")
def models():
    """Loads each MODEL once."""
    found: dict = {}

    def get(name: str):
        if name not in found:
            found[name] = load(name)
        return found[name]

    return get


@pytest.fixture(scope="module")
def exact(models):
    """What each full-precision MODEL samples."""
    found: dict = {}

    def get(name: str):
        if name not in found:
            found[name] = sample(models(name), name, *prompts(name))
        return found[name]

    return get


def prompts(name: str) -> tuple[list, list]:
    return prompt(name, 1), prompt(name, 2, words=3, trigger=())


def with_lora(model, state, strength=1.0):
    return comfy.sd.load_lora_for_models(model, None, state, strength, 0)[0]


@EVERY
@pytest.mark.parametrize(("preset", "bound"), [("W8A8", 0.05), ("W4A8", 0.3)])
def test_draws_nearly_the_same(models, exact, name, preset, bound):
    out = sample(quantized(models(name), preset), name, *prompts(name))
    assert 0 < relative_error(out, exact(name)) < bound


@EVERY
def test_protecting_everything_is_the_hosts_own_attention(models, exact, name, monkeypatch):
    """On unquantized weights. The host's attention reads the cached keys and values."""
    calls = []
    attention = taq_step.optimized_attention
    monkeypatch.setattr(
        taq_step,
        "optimized_attention",
        lambda *given, **options: calls.append(given) or attention(*given, **options),
    )
    out = models(name).clone()
    taq_attention.install(out, "all", AttentionSpec(q_bits=4, kv_bits=4, a_bits=4))
    assert relative_error(sample(out, name, *prompts(name)), exact(name)) < 1e-5
    assert len(calls) == BLOCKS * STEPS, "each cross-attention in each step"
    assert all(k.shape[1] == 512 for _, k, *_ in calls)
    taq_attention.install(out, "none", AttentionSpec(kv_bits=4, a_bits=4))
    assert relative_error(sample(out, name, *prompts(name)), exact(name)) > 1e-4


@FAMILIES
@pytest.mark.parametrize("protect", PROTECT)
def test_every_choice_of_tokens_runs(models, name, protect):
    out = quantized(models(name), "W8A4", protect=protect)
    assert torch.isfinite(sample(out, name, *prompts(name))).all()


@EVERY
def test_real_tokens_are_projected_once_for_all_steps(models, name, monkeypatch):
    out = quantized(models(name))
    unet = out.model.diffusion_model
    last = {"anima": "cross_attn.k_proj"}.get(name, "cross_attn.k")
    keys = [layer for at, layer in unet.named_modules() if f".{at}".endswith(f".{last}")]
    projected = []
    project = TextLinear.project

    def watched(layer, text):
        if any(layer is one for one in keys) and text.shape[1] < 512:
            projected.append(tuple(text.shape[:2]))
        return project(layer, text)

    monkeypatch.setattr(TextLinear, "project", watched)
    sample(out, name, *prompts(name), steps=4)
    in_blocks = [shape for shape in projected if shape == (2, 8)]
    assert len(in_blocks) == BLOCKS, "seven tokens and the padding, of two prompts, in each block"


@FAMILIES
def test_the_triggers_tokens_and_the_padding_are_exact(models, name, monkeypatch):
    seen = []
    attend = taq_step.attend_stored
    monkeypatch.setattr(
        taq_step, "attend_stored", lambda *given: seen.append(given[1]) or attend(*given)
    )
    out = models(name).clone()
    taq_attention.install(out, "trigger + BOS", AttentionSpec(8, 4, 8))
    projected = []
    for module_name, layer in out.model.diffusion_model.named_modules():
        if module_name in ("blocks.0.cross_attn.k_proj", "blocks.0.cross_attn.k"):
            layer.register_forward_hook(lambda *given: projected.append(given[2]))
    sample(out, name, *prompts(name), steps=1)
    layer = seen[0]
    marked = [sorted(row.nonzero().flatten().tolist()) for row in layer.protected]
    assert sorted(marked) == [[0], [0, 3, 4]], "the padding, and tokens 2 and 3 behind it"
    k, attn = layer.k.dequantize(), out.model.diffusion_model.blocks[0].cross_attn
    if name == "anima":
        whole = attn.k_norm(projected[0].unflatten(-1, (2, -1))).flatten(-2)
    else:
        whole = attn.norm_k(projected[0])
    assert torch.equal(k[layer.protected], whole[layer.protected])
    others = ~layer.protected & (layer.bias.all > -torch.inf)
    assert not torch.isclose(k[others], whole[others], atol=1e-4).all(-1).any()


@FAMILIES
def test_protection_follows_the_trigger(models, name):
    """It is read from the prompt's mask, as long as the text and no other."""
    marked, unmarked, negative = prompt(name, 1), prompt(name, 1, trigger=()), prompts(name)[1]
    by_trigger, by_start = (
        quantized(models(name), "W8A4", protect=protect) for protect in ("trigger", "BOS")
    )
    assert not torch.equal(
        sample(by_trigger, name, marked, negative), sample(by_trigger, name, unmarked, negative)
    )
    assert torch.equal(
        sample(by_start, name, marked, negative), sample(by_start, name, unmarked, negative)
    )


@EVERY
@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
def test_stores_what_it_reports(models, name, preset):
    """The host counts every tensor of the module too, and the few bytes that name each format."""
    made = quantize_model(models(name), QuantConfig(PRESETS[preset]), nothing)
    unet = made.patcher.model.diffusion_model
    names = sum(
        tensor.nbytes for key, tensor in unet.state_dict().items() if key.endswith("comfy_quant")
    )
    assert made.report.bytes_in_memory == comfy.model_management.module_size(unet) - names
    assert {p.group for p in made.report.parameters}.isdisjoint({"other"})
    stored = {
        at
        for at, layer in unet.named_modules()
        if isinstance(getattr(layer, "weight", None), QuantizedTensor)
    }
    per_block = {"anima": 14, "wan21-i2v": 10}.get(name, 8)
    assert len(stored) == BLOCKS * per_block
    bits = {p.bits for p in made.report.parameters if p.name.removesuffix(".weight") in stored}
    assert bits == {8 if preset == "W8A8" else 4}


@FAMILIES
def test_the_layers_of_the_text_stay_in_main_memory(models, name):
    patcher = quantized(models(name))
    unet = patcher.model.diffusion_model
    text = [layer for layer in unet.modules() if isinstance(layer, Offloaded)]
    adapter = 6 * (4 + 4 + 2) + 2  # six blocks, the table of tokens, the last layer
    assert len(text) == 2 * BLOCKS + (adapter if name == "anima" else 2)
    for layer in text:
        assert not isinstance(layer.weight, QuantizedTensor)
        assert layer.to("meta").weight.device.type == "cpu"
    offloaded = sum(weight.nbytes for layer in text for weight in layer.parameters())
    whole = comfy.model_management.module_size(patcher.model)
    assert patcher.size == whole - offloaded


@pytest.mark.parametrize(
    ("name", "trainer"),
    [
        ("anima", "kohya, musubi"),
        ("anima", "diffusion-pipe, ai-toolkit"),
        *(("wan21-t2v", trainer) for trainer in (*KOHYA, "diffusion-pipe, ai-toolkit")),
    ],
)
def test_a_lora_runs_beside_the_quantized_layers(models, exact, name, trainer):
    """Where no layer is quantized, exactly; it changes keys and values, and Anima's adapter."""
    personal = with_lora(models(name), comfy.lora_convert.convert_lora(lora_of(name, trainer)))
    expected = sample(personal, name, *prompts(name))
    assert relative_error(expected, exact(name)) > 0.05
    out = quantized(personal, protect="all", config=WHOLE)
    assert relative_error(sample(out, name, *prompts(name)), expected) < 1e-4
    out = sample(quantized(personal), name, *prompts(name))
    assert relative_error(out, expected) < 0.5 * relative_error(exact(name), expected)


@pytest.mark.parametrize("part", ["llm_adapter", "cross_attn.k_proj", "mlp"])
def test_each_part_of_animas_lora_counts(models, exact, part):
    state = lora_of("anima", "diffusion-pipe, ai-toolkit")
    if part != "llm_adapter":
        state = {key: one for key, one in state.items() if "llm_adapter" not in key}
    personal = with_lora(models("anima"), {key: one for key, one in state.items() if part in key})
    expected = sample(personal, "anima", *prompts("anima"))
    assert relative_error(expected, exact("anima")) > 1e-3
    out = quantized(personal, protect="all", config=WHOLE)
    assert relative_error(sample(out, "anima", *prompts("anima")), expected) < 1e-4


def test_differences_of_biases_and_norms_count(models, exact):
    """As LoRAs that make Wan faster have them."""
    name, generator = "wan21-t2v", torch.Generator().manual_seed(4)
    state = {
        f"diffusion_model.blocks.0.{layer}": torch.randn(256, generator=generator) * 0.3
        for layer in (
            "cross_attn.k.diff_b",
            "cross_attn.v.diff_b",
            "self_attn.q.diff_b",
            "cross_attn.norm_k.diff",
        )
    }
    personal = with_lora(models(name), state)
    expected = sample(personal, name, *prompts(name))
    assert relative_error(expected, exact(name)) > 1e-3
    out = quantized(personal, protect="all", config=WHOLE)
    assert relative_error(sample(out, name, *prompts(name)), expected) < 1e-4


def test_a_personal_wan_is_served_from_its_base(tmp_path, monkeypatch):
    """With what it changed in parameters that are neither weight nor bias."""
    monkeypatch.setattr(folder_paths, "models_dir", str(tmp_path))
    POOL.forget(lambda key: True)
    name, config = "wan21-t2v", QuantConfig(PRESETS["W8A8"])
    before = state_of(name)
    after = {key: one + 0.5 * ("modulation" in key) for key, one in before.items()}
    base, personal = (
        comfy.sd.load_diffusion_model_state_dict(dict(state), {"dtype": torch.float32})
        for state in (before, after)
    )
    wanted = sample(personal, name, *prompts(name))
    of_base = file_metadata(base, config)
    quantize_model(base, config, nothing)
    metadata = file_metadata(personal, config)
    reads = [{key: one.clone for key, one in state.items()} for state in (after, before)]
    write_quantized(
        residual_path(metadata),
        make_low_rank_residual(*reads, 8).state,
        replace(metadata, base=of_base.weights),
    )
    out = sample(quantized(personal, config=config), name, *prompts(name))
    assert relative_error(out, wanted) < 0.05
    assert relative_error(sample(base, name, *prompts(name)), wanted) > 0.1


def test_a_lora_of_wans_feed_forward_is_not_left_out(models, exact):
    """The host takes the weight of its last layer out of the layer."""
    state = lora_of("wan21-t2v", "diffusion-pipe, ai-toolkit")
    only = {key: one for key, one in state.items() if ".ffn.2." in key}
    personal = with_lora(models("wan21-t2v"), only)
    expected = sample(personal, "wan21-t2v", *prompts("wan21-t2v"))
    plain = relative_error(exact("wan21-t2v"), expected)
    out = sample(quantized(personal, protect="all"), "wan21-t2v", *prompts("wan21-t2v"))
    assert relative_error(out, expected) < 0.2 * plain


@FAMILIES
def test_the_second_start_reads_the_file_and_draws_the_same(models, name, tmp_path, monkeypatch):
    monkeypatch.setattr(folder_paths, "models_dir", str(tmp_path))
    POOL.forget(lambda key: True)
    first = sample(quantized(models(name), "W4A8"), name, *prompts(name))
    assert len(list(tmp_path.rglob("*.safetensors"))) == 1
    POOL.forget(lambda key: True)
    calls = []
    quantize_model(
        models(name), QuantConfig(PRESETS["W4A8"]), lambda *progress: calls.append(progress)
    )
    assert not calls
    assert torch.equal(sample(quantized(models(name), "W4A8"), name, *prompts(name)), first)


@EVERY
def test_the_report_counts_operations_and_says_what_is_exact(models, name):
    source = models(name)
    made = quantize_model(source, QuantConfig(PRESETS["W8A8"]), nothing)
    out = quantized(source)
    text, shown = run_report(source, made, out, PRESETS["W8A8"], "trigger + BOS")
    assert "bit operations of a step" in text
    assert "could not" not in text
    assert "trigger + padding" in shown["why"]


@FAMILIES
def test_sensitivity_quantizes_one_token_at_a_time(models, name):
    class Decoder:
        """A VAE that shows the latent."""

        def decode(self, latent):
            return latent.movedim(1, -1)

    positive, negative = prompt(name, 1), prompts(name)[1]
    tokens = [Token("first", (0,)), Token("trigger", (2, 3), True)]
    with torch.inference_mode():
        whole, found = sensitivity.measure(
            models(name), Decoder(), positive, negative, tokens, 2,
            Sampling((0,), 2, 4.0, 64, 64), nothing,
        )  # fmt: skip
    assert whole.ndim == 3
    assert all(each.delta > 0 for each in found)
    assert found[0].delta != found[1].delta
