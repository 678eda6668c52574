"""Test that exactly the trigger's tokens are masked in cross-attention.

This holds whatever ComfyUI does with the conditioning.
"""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.controlnet
import comfy.hooks
import comfy.samplers
import node_helpers
import nodes as host_nodes
from comfy_extras import nodes_custom_sampler, nodes_perpneg

from personalq.nodes.host.text import token_mask
from personalq.tests.host.sampling import STEPS, encode, sample

SPAN = (5, 6)
NOTHING = ()


class Watched:
    """A clone of the model that carries row masks, with a cross-attention patch that writes down
    what it sees.
    """

    def __init__(self, model):
        self.seen: set[tuple[int, tuple[int, ...]]] = set()
        self.calls = 0
        self.patcher = model.clone()
        token_mask.install(self.patcher)
        token_mask.install(
            self.patcher
        )  # a second node of ours in the chain must not wipe the mask
        self.patcher.set_model_attn2_patch(self._look)
        self.patcher.add_wrapper_with_key("apply_model", "count", self._count)

    def _look(self, x, context, value, options):
        mask, conds = options[token_mask.KEY], options["cond_or_uncond"]
        for row in range(context.shape[0]):
            marked = tuple(torch.nonzero(mask[row, :, 0] > 0).flatten().tolist())
            self.seen.add((conds[row * len(conds) // context.shape[0]], marked))
        return x, context, value

    def _count(self, executor, *args, **kwargs):
        self.calls += 1
        return executor(*args, **kwargs)

    def rows(self, cond: int) -> set[tuple[int, ...]]:
        """The marked rows seen for the cond of that index (0 is the positive prompt in the usual
        guider).
        """
        return {marked for seen, marked in self.seen if seen == cond}


@pytest.fixture
def watched(base) -> Watched:
    return Watched(base[0])


@pytest.fixture(scope="module")
def bear(base):
    return encode(base[1], "a photo of a bear on a table")


@pytest.fixture(scope="module")
def marked(bear):
    rows = torch.zeros(77)
    rows[list(SPAN)] = 1
    return token_mask.attach(bear, rows)


@pytest.fixture(scope="module")
def long_text(base):
    return encode(base[1], " ".join(["tree"] * 100))


def node(name: str):
    return host_nodes.NODE_CLASS_MAPPINGS[name]()


def test_plain_prompt_in_one_unet_call_a_step(watched, marked, negative):
    sample(watched.patcher, marked, negative)
    assert watched.rows(0) == {SPAN}
    assert watched.rows(1) == {NOTHING}
    assert watched.calls == STEPS


def test_batch_of_three(watched, marked, negative):
    sample(watched.patcher, marked, negative, batch=3)
    assert watched.rows(0) == {SPAN}
    assert watched.rows(1) == {NOTHING}


def test_cfg_1_runs_no_negative(watched, marked, negative):
    sample(watched.patcher, marked, negative, cfg=1.0)
    assert watched.seen == {(0, SPAN)}


def test_mask_on_the_negative_only(watched, bear, marked):
    sample(watched.patcher, bear, marked)
    assert watched.seen == {(0, NOTHING), (1, SPAN)}


def test_no_mask_anywhere(watched, bear, negative):
    sample(watched.patcher, bear, negative)
    assert watched.seen == {(0, NOTHING), (1, NOTHING)}


def test_combine_with_an_unmarked_prompt(watched, marked, tree, negative):
    combined = node("ConditioningCombine").combine(marked, tree)[0]
    sample(watched.patcher, combined, negative)
    assert watched.rows(0) == {SPAN, NOTHING}
    assert watched.rows(1) == {NOTHING}


def test_concat_to_the_marked_prompt(watched, marked, tree, negative):
    longer = node("ConditioningConcat").concat(marked, tree)[0]
    sample(watched.patcher, longer, negative)
    assert watched.rows(0) == {SPAN}


def test_concat_from_the_marked_prompt(watched, marked, tree, negative):
    """The host drops everything but the text of `conditioning_from`."""
    longer = node("ConditioningConcat").concat(tree, marked)[0]
    sample(watched.patcher, longer, negative)
    assert watched.rows(0) == {tuple(77 + row for row in SPAN)}


def test_concat_of_two_marked_prompts(watched, marked, tree, negative):
    rows = torch.zeros(77)
    rows[2] = 1
    longer = node("ConditioningConcat").concat(token_mask.attach(tree, rows), marked)[0]
    sample(watched.patcher, longer, negative)
    assert watched.rows(0) == {(2, *(77 + row for row in SPAN))}


def test_average_to_the_marked_prompt(watched, marked, tree, negative):
    blend = node("ConditioningAverage").addWeighted(marked, tree, 0.5)[0]
    sample(watched.patcher, blend, negative)
    assert watched.rows(0) == {SPAN}


def test_longer_negative_repeats_the_mask_with_the_text(watched, marked, long_text):
    sample(watched.patcher, marked, long_text)
    assert watched.rows(0) == {(*SPAN, *(77 + row for row in SPAN))}


def test_marked_prompt_of_two_chunks(watched, long_text, negative):
    rows = torch.zeros(154)
    rows[[90, 91]] = 1
    sample(watched.patcher, token_mask.attach(long_text, rows), negative)
    assert watched.rows(0) == {(90, 91)}
    assert watched.rows(1) == {NOTHING}


def test_area_and_combine_does_not_leak_into_the_negative(watched, marked, tree, negative):
    """The host copies same-area conds into the negative list."""
    area = node("ConditioningSetArea").append(marked, 32, 32, 0, 0, 1.0)[0]
    sample(watched.patcher, node("ConditioningCombine").combine(area, tree)[0], negative)
    assert watched.rows(0) == {SPAN, NOTHING}
    assert watched.rows(1) == {NOTHING}


def test_area_in_percent(watched, marked, negative):
    area = node("ConditioningSetAreaPercentage").append(marked, 0.5, 0.5, 0.0, 0.0, 1.0)[0]
    sample(watched.patcher, area, negative)
    assert watched.rows(0) == {SPAN}
    assert watched.rows(1) == {NOTHING}


def test_regional_mask(watched, marked, negative):
    region = node("ConditioningSetMask").append(marked, torch.ones(1, 64, 64), "default", 1.0)[0]
    sample(watched.patcher, region, negative)
    assert watched.rows(0) == {SPAN}


def test_timestep_ranges(watched, marked, tree, negative):
    first = node("ConditioningSetTimestepRange").set_range(marked, 0.0, 0.5)[0]
    second = node("ConditioningSetTimestepRange").set_range(tree, 0.5, 1.0)[0]
    sample(watched.patcher, node("ConditioningCombine").combine(first, second)[0], negative)
    assert watched.rows(0) == {SPAN, NOTHING}


class SilentControl(comfy.controlnet.ControlBase):
    """A ControlNet that changes nothing."""

    def get_control(self, *args):
        return None

    def copy(self):
        return self

    def get_models(self):
        return []

    def inference_memory_requirements(self, dtype):
        return 0

    def pre_run(self, *args):
        pass

    def cleanup(self):
        pass


def test_controlnet(watched, marked, negative):
    values = {"control": SilentControl(), "control_apply_to_uncond": True}
    sample(watched.patcher, node_helpers.conditioning_set_values(marked, values), negative)
    assert watched.rows(0) == {SPAN}
    assert watched.rows(1) == {NOTHING}


def test_hooked_and_plain_prompt(watched, marked, tree, negative, lora):
    hooks = comfy.hooks.create_hook_lora(
        comfy.utils.load_torch_file(str(lora)), strength_model=1.0, strength_clip=0.0
    )
    hooked = comfy.hooks.set_hooks_for_conditioning(marked, hooks)
    sample(watched.patcher, node("ConditioningCombine").combine(hooked, tree)[0], negative)
    assert watched.rows(0) == {SPAN, NOTHING}


def run_guider(guider, watched) -> None:
    sigmas = comfy.samplers.calculate_sigmas(
        watched.patcher.get_model_object("model_sampling"), "normal", STEPS
    )
    noise = torch.randn(1, 4, 8, 8, generator=torch.Generator().manual_seed(0))
    guider.sample(
        noise,
        torch.zeros(1, 4, 8, 8),
        comfy.samplers.sampler_object("euler"),
        sigmas,
        disable_pbar=True,
    )


def test_cfg_guider(watched, marked, negative):
    guider = comfy.samplers.CFGGuider(watched.patcher)
    guider.set_conds(marked, negative)
    guider.set_cfg(5)
    run_guider(guider, watched)
    assert watched.rows(0) == {SPAN}
    assert watched.rows(1) == {NOTHING}


def test_perp_neg_guider(watched, marked, negative, base):
    guider = nodes_perpneg.Guider_PerpNeg(watched.patcher)
    guider.set_conds(marked, negative, encode(base[1], ""))
    guider.set_cfg(5, 1.0)
    run_guider(guider, watched)
    assert {marked_rows for _, marked_rows in watched.seen} == {SPAN, NOTHING}
    assert sum(rows == SPAN for _, rows in watched.seen) == 1


def test_dual_cfg_guider_numbers_its_conds_differently(watched, marked, tree, negative):
    guider = nodes_custom_sampler.Guider_DualCFG(watched.patcher)
    guider.set_conds(marked, tree, negative)
    guider.set_cfg(5, 3)
    run_guider(guider, watched)
    assert sum(rows == SPAN for _, rows in watched.seen) == 1


def test_a_model_without_us_ignores_the_mask(base, bear, marked, negative):
    model = base[0]
    assert torch.equal(sample(model, marked, negative), sample(model, bear, negative))


def test_carrying_the_mask_changes_nothing(base, watched, marked, negative):
    assert torch.equal(sample(watched.patcher, marked, negative), sample(base[0], marked, negative))
