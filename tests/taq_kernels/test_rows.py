"""Which rows are protected."""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels import protected_rows


@pytest.fixture
def trigger() -> torch.Tensor:
    mask = torch.zeros(2, 154, dtype=torch.bool)
    mask[0, 5:8] = True
    return mask


@pytest.mark.parametrize(
    ("protect", "expected"),
    [
        ("trigger + BOS", [0, 5, 6, 7, 77]),
        ("trigger", [5, 6, 7]),
        ("BOS", [0, 77]),
        ("none", []),
        ("all", list(range(154))),
    ],
)
def test_choices(trigger, protect, expected):
    assert protected_rows(trigger, protect)[0].nonzero().flatten().tolist() == expected


def test_a_prompt_without_trigger_still_has_its_bos(trigger):
    assert protected_rows(trigger)[1].nonzero().flatten().tolist() == [0, 77]


def test_masks_cast_to_the_models_dtype(trigger):
    assert torch.equal(protected_rows(trigger.half()), protected_rows(trigger))


def test_the_trigger_mask_is_not_changed(trigger):
    before = trigger.clone()
    protected_rows(trigger)
    assert torch.equal(trigger, before)


def test_bad_input_is_refused(trigger):
    with pytest.raises(ValueError, match=r"trigger \+ BOS, trigger, BOS, none, all"):
        protected_rows(trigger, "eos")
    with pytest.raises(ValueError, match=r"\[B, T\]"):
        protected_rows(trigger[..., None])
