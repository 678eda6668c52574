"""The grid of controls."""

from __future__ import annotations

import pytest
import torch

from personalq.bench.baselines import TAQ
from personalq.bench.baselines.controls import PROTECTED, SCOPES, controls
from personalq.taq_kernels import PROTECT, protected_rows


def test_the_grid_is_complete():
    methods = [method for scope in SCOPES for method in controls(scope)]
    settings = {(method.protect, method.per_tensor, method.attention_only) for method in methods}
    assert len(settings) == len({method.name for method in methods}) == len(methods) == 7 * 2 * 2
    assert set(PROTECTED.values()) == set(PROTECT) - {"as measured"}


def test_random_rows_are_as_many_and_others():
    marks = torch.zeros(2, 9)
    marks[0, 3:5] = 1
    named, drawn = (protected_rows(marks, PROTECTED[rows]) for rows in ("BOS + trigger", "random rows"))
    assert named.sum(1).tolist() == drawn.sum(1).tolist() == [3, 1]
    assert not (named & drawn).any()


@pytest.mark.parametrize("protect", ["as measured", "BOS + trigger"])
def test_unknown_protection_is_refused(protect):
    with pytest.raises(ValueError, match=r"one of all, .*, random rows; got"):
        TAQ(protect=protect)
