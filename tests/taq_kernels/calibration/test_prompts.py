"""Test calibration prompts: one value of each pool, all different, the same for a seed."""

from __future__ import annotations

import pytest

from personalq.taq_kernels.calibration import calibration_prompts
from personalq.taq_kernels.calibration.prompts import ACTIONS, SCENES, STYLES, TIMES


def test_pool_sizes():
    assert [len(set(pool)) for pool in (SCENES, TIMES, STYLES, ACTIONS)] == [16, 8, 13, 12]


def test_each_prompt_follows_the_template():
    prompts = calibration_prompts("<bear-v4>", "bear")
    assert len(set(prompts)) == 64
    for prompt in prompts:
        subject, scene, time, style, *action = prompt.split(", ")
        assert subject == "a photo of a <bear-v4> bear"
        assert (scene in SCENES, time in TIMES, style in STYLES) == (True, True, True)
        assert not action or (len(action) == 1 and action[0] in ACTIONS)


def test_the_action_is_sometimes_missing():
    lengths = {len(prompt.split(", ")) for prompt in calibration_prompts("sks", "dog", count=200)}
    assert lengths == {4, 5}


def test_seeds():
    assert calibration_prompts("sks", "dog", seed=1) == calibration_prompts("sks", "dog", seed=1)
    assert calibration_prompts("sks", "dog", seed=1) != calibration_prompts("sks", "dog", seed=2)


def test_no_trigger_leaves_no_gap():
    assert all(prompt.startswith("a photo of a dog, ") for prompt in calibration_prompts("", "dog"))


def test_all_combinations_and_no_more():
    assert len(set(calibration_prompts("sks", "dog", count=21632))) == 21632
    for count in (0, 21633):
        with pytest.raises(ValueError, match="from 1 to 21632"):
            calibration_prompts("sks", "dog", count=count)
    with pytest.raises(ValueError, match="class noun is empty"):
        calibration_prompts("sks", " ")
