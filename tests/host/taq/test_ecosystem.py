"""Test a quantized MODEL with ComfyUI's other ways of steering a picture.

It is as near to full precision as in a plain run.
"""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.sample
import comfy.samplers
import node_helpers
from comfy_extras import (
    nodes_attention_multiply,
    nodes_custom_sampler,
    nodes_model_merging,
    nodes_perpneg,
    nodes_tomesd,
)

from personalq.nodes.host.taq.macs import count
from personalq.nodes.host.text import token_mask
from personalq.tests.host.narrow_sdxl import SDXL_KIN, narrow
from personalq.tests.host.sampling import STEPS, encode, quantized, relative_error, sample
from personalq.tests.host.text.test_token_mask import SilentControl, node

BOUND = 0.1
"""Of the relative error of W8A8 on random weights; a plain prompt has less than half of it."""


@pytest.fixture(scope="module")
def marked(base):
    rows = torch.zeros(77)
    rows[[5, 6]] = 1
    return token_mask.attach(encode(base[1], "a photo of a bear on a table"), rows)


def combined(first, second):
    return node("ConditioningCombine").combine(first, second)[0]


CASES = {
    "plain": lambda a, b: a,
    "combined": combined,
    "concatenated": lambda a, b: node("ConditioningConcat").concat(b, a)[0],
    "averaged": lambda a, b: node("ConditioningAverage").addWeighted(a, b, 0.5)[0],
    "area": lambda a, b: combined(node("ConditioningSetArea").append(a, 32, 32, 0, 0, 1.0)[0], b),
    "mask": lambda a, b: combined(
        node("ConditioningSetMask").append(a, torch.ones(1, 64, 64), "default", 1.0)[0], b
    ),
    "ranges": lambda a, b: combined(
        node("ConditioningSetTimestepRange").set_range(a, 0.0, 0.5)[0],
        node("ConditioningSetTimestepRange").set_range(b, 0.5, 1.0)[0],
    ),
    "controlnet": lambda a, b: node_helpers.conditioning_set_values(
        a, {"control": SilentControl(), "control_apply_to_uncond": True}
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_conditioning(model, marked, tree, negative, case):
    positive = CASES[case](marked, tree)
    error = relative_error(
        sample(quantized(model), positive, negative), sample(model, positive, negative)
    )
    assert 0 < error < BOUND


@pytest.mark.parametrize("options", [{"cfg": 1.0}, {"batch": 3}, {"size": 12}, {"steps": 5}])
def test_sampling(model, marked, negative, options):
    out = quantized(model)
    assert (
        0
        < relative_error(
            sample(out, marked, negative, **options), sample(model, marked, negative, **options)
        )
        < BOUND
    )


def test_a_picture_does_not_depend_on_its_batch(model, marked, negative):
    """Every row has a scale of its own, so no image changes another's."""
    out = quantized(model)
    noise = torch.randn(3, 4, 8, 8, generator=torch.Generator().manual_seed(0))
    louder = torch.cat((noise[:1], 5 * noise[1:]))
    pictures = [
        comfy.sample.sample(
            out,
            each,
            STEPS,
            7.0,
            "euler",
            "normal",
            marked,
            negative,
            torch.zeros(3, 4, 8, 8),
            disable_pbar=True,
        )
        for each in (noise, louder)
    ]
    assert torch.equal(pictures[0][0], pictures[1][0])
    assert not torch.equal(pictures[0][1], pictures[1][1])


GUIDERS = {
    "cfg": lambda patcher: comfy.samplers.CFGGuider(patcher),
    "perpneg": lambda patcher: nodes_perpneg.Guider_PerpNeg(patcher),
    "dual": lambda patcher: nodes_custom_sampler.Guider_DualCFG(patcher),
}


@pytest.mark.parametrize("kind", GUIDERS)
def test_guiders(model, marked, tree, negative, kind):
    def run(patcher):
        guider = GUIDERS[kind](patcher)
        guider.set_conds(*((marked, negative) if kind == "cfg" else (marked, tree, negative)))
        guider.set_cfg(*((5,) if kind == "cfg" else (5, 1.0)))
        sigmas = comfy.samplers.calculate_sigmas(
            patcher.get_model_object("model_sampling"), "normal", STEPS
        )
        noise = torch.randn(1, 4, 8, 8, generator=torch.Generator().manual_seed(0))
        euler = comfy.samplers.sampler_object("euler")
        return guider.sample(noise, torch.zeros(1, 4, 8, 8), euler, sigmas, disable_pbar=True)

    assert 0 < relative_error(run(quantized(model)), run(model)) < BOUND


def test_tiles(model, marked, negative):
    """What packs for large pictures do: the UNet is called on parts of the latent, one after the
    other.
    """

    def by_halves(apply_model, given):
        halves = given["input"].chunk(2, dim=-1)
        done = [apply_model(half, given["timestep"], **given["c"]) for half in halves]
        return torch.cat(done, dim=-1)

    tiled = model.clone()
    tiled.set_model_unet_function_wrapper(by_halves)
    out = quantized(tiled)
    error = relative_error(
        sample(out, marked, negative, size=16), sample(tiled, marked, negative, size=16)
    )
    assert 0 < error < BOUND


def test_merged_models_before_taq(model, marked, negative):
    """Merging leaves differences on the weights, which are quantized with them."""
    other = model.clone()
    name = "diffusion_model.middle_block.1.proj_in.weight"
    other.add_patches(
        {name: (torch.randn(320, 320, 1, 1, generator=torch.Generator().manual_seed(0)) * 0.2,)},
        1.0,
    )
    merged = nodes_model_merging.ModelMergeSimple().merge(model, other, 0.5)[0]
    wanted = sample(merged, marked, negative)
    assert relative_error(sample(quantized(merged), marked, negative), wanted) < BOUND
    assert relative_error(sample(quantized(model), marked, negative), wanted) > 0.001


@pytest.mark.parametrize("kind", ["UNetSelfAttentionMultiply", "UNetCrossAttentionMultiply"])
def test_multiplied_attention(model, marked, negative, kind):
    """Before TAQ and after it: a patch that only multiplies a weight has no values."""
    multiply = getattr(nodes_attention_multiply, kind).execute
    changed = multiply(model, 1.0, 1.0, 1.0, -8.0)[0]
    expected = sample(changed, marked, negative)
    assert relative_error(sample(quantized(changed), marked, negative), expected) < BOUND
    after = multiply(quantized(model), 1.0, 1.0, 1.0, -8.0)[0]
    assert relative_error(sample(after, marked, negative), expected) < BOUND
    assert relative_error(sample(model, marked, negative), expected) > 2 * BOUND


def test_token_merging_patches_survive(model, marked, negative):
    """A patch of self-attention that changes the number of tokens between blocks."""
    patched = nodes_tomesd.TomePatchModel.execute(model, 0.3)[0]
    out = quantized(patched)
    assert torch.isfinite(sample(out, marked, negative, size=16)).all()


def test_the_original_is_bit_identical_through_all_of_it(model, marked, tree, negative):
    before = sample(model, marked, negative)
    out = quantized(model)
    for case in CASES.values():
        sample(out, case(marked, tree), negative, steps=1)
    assert torch.equal(sample(model, marked, negative), before)


@pytest.mark.parametrize("preset", ["W8A8", "W4A8"])
@pytest.mark.parametrize("kind", SDXL_KIN)
def test_sdxl_and_its_kin(kind, preset):
    """Two text encoders side by side, pooled text, Linear projections, and levels without
    attention.
    """
    model = narrow(kind)
    generator = torch.Generator().manual_seed(1)

    def text(marks=None):
        pooled = {"pooled_output": torch.randn(1, 1280, generator=generator)}
        made = [[torch.randn(1, 77, 2048, generator=generator), pooled]]
        return made if marks is None else token_mask.attach(made, marks)

    rows = torch.zeros(77)
    rows[4] = 1
    positive, negative = text(rows), text()
    out = quantized(model, preset)
    error = relative_error(
        sample(out, positive, negative, size=16), sample(model, positive, negative, size=16)
    )
    assert 0 < error < {"W8A8": 0.1, "W4A8": 0.6}[preset]
    assert count(model, 16).cross_attention > 0
