"""Test which tokens are protected."""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels import protected_tokens
from personalq.taq_kernels.attention.protected_tokens import EOS, TRIGGER

BOTH = "trigger + BOS"


@pytest.fixture
def trigger() -> torch.Tensor:
    mask = torch.zeros(2, 154)
    mask[0, 5:8] = TRIGGER
    mask[0, 9] = EOS
    return mask


@pytest.mark.parametrize(
    ("protect", "expected"),
    [
        (BOTH, [0, 5, 6, 7, 77]),
        ("trigger", [5, 6, 7]),
        ("BOS", [0, 77]),
        ("EOS", [9]),
        ("none", []),
        ("all", list(range(154))),
    ],
)
def test_choices(trigger, protect, expected):
    assert protected_tokens(trigger, protect)[0].nonzero().flatten().tolist() == expected


def test_a_prompt_without_trigger_still_has_its_bos(trigger):
    assert protected_tokens(trigger, BOTH)[1].nonzero().flatten().tolist() == [0, 77]


def test_trigger_and_bos_unless_asked(trigger):
    assert torch.equal(protected_tokens(trigger), protected_tokens(trigger, BOTH))


def test_masks_cast_to_the_models_dtype(trigger):
    assert torch.equal(protected_tokens(trigger.half(), BOTH), protected_tokens(trigger, BOTH))


def test_a_bool_mask_marks_a_trigger(trigger):
    assert torch.equal(protected_tokens(trigger > 0, BOTH), protected_tokens(trigger, BOTH))


def test_random_rows_are_as_many_as_named_ones_and_none_of_them(trigger):
    named, others = protected_tokens(trigger, BOTH), protected_tokens(trigger, "random rows")
    assert others.sum(1).tolist() == named.sum(1).tolist() == [5, 2]
    assert not (others & named).any()
    assert torch.equal(others, protected_tokens(trigger, "random rows"))


def test_the_trigger_mask_is_not_changed(trigger):
    before = trigger.clone()
    protected_tokens(trigger, BOTH)
    assert torch.equal(trigger, before)


def test_bad_input_is_refused(trigger):
    with pytest.raises(ValueError, match=r"trigger \+ BOS, all, trigger, BOS, EOS, none"):
        protected_tokens(trigger, "eos")
    with pytest.raises(ValueError, match=r"\[B, T\]"):
        protected_tokens(trigger[..., None])
