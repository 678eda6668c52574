"""Test the grid of TAQ's controls."""

from __future__ import annotations

import pytest
import torch

from personalq.bench.baselines import TAQ
from personalq.bench.baselines.controls import DRAWS, PROTECTED, SCOPES, controls, further_draws
from personalq.taq_kernels import PROTECT, protected_tokens


def test_the_grid_is_complete():
    methods = [method for scope in SCOPES for method in controls(scope)]
    settings = {(method.protect, method.per_tensor, method.attention_only) for method in methods}
    assert len(settings) == len({method.name for method in methods}) == len(methods)
    assert len(methods) == 7 * 2 + 6 * 2
    assert set(PROTECTED.values()) == set(PROTECT) - {"as measured"}


def test_random_rows_are_as_many_and_others():
    marks = torch.zeros(2, 9)
    marks[0, 3:5] = 1
    named, drawn = (
        protected_tokens(marks, PROTECTED[rows]) for rows in ("BOS + trigger", "random rows")
    )
    assert named.sum(1).tolist() == drawn.sum(1).tolist() == [3, 1]
    assert not (named & drawn).any()


def test_further_draws_are_of_other_rows():
    marks = torch.zeros(1, 77)
    marks[0, 3:5] = 1
    first = next(
        method
        for method in controls("attention only")
        if method.name.startswith("random rows, per row")
    )
    methods = [first, *further_draws()]
    drawn = {
        tuple(protected_tokens(marks, m.protect, draw=m.draw)[0].nonzero().flatten().tolist())
        for m in methods
    }
    assert len(drawn) == len({method.name for method in methods}) == DRAWS
    assert all(len(rows) == 3 for rows in drawn)


@pytest.mark.parametrize("protect", ["as measured", "BOS + trigger"])
def test_unknown_protection_is_refused(protect):
    with pytest.raises(ValueError, match=r"one of trigger \+ BOS, all, .*, random rows; got"):
        TAQ(protect=protect)
