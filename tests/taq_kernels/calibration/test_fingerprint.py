"""Test the hash of weights and batches: every value counts, and the containers too."""

from __future__ import annotations

import pytest
import torch

from personalq.taq_kernels.calibration.fingerprint import fingerprint

TREE = (torch.arange(6.0), {"text": [torch.ones(2, 3), None, 1, True, "a", 0.5]})


def test_equal_trees_have_equal_hashes():
    same = [torch.arange(6.0), {"text": (torch.ones(3, 2).T, None, 1, True, "a", 0.5)}]
    assert fingerprint(TREE) == fingerprint(same)
    assert len(fingerprint(TREE)) == 64


@pytest.mark.parametrize(
    "other",
    [
        (torch.arange(6.0), {"text": [torch.ones(2, 3), None, 1, True, "b", 0.5]}),
        (torch.arange(6.0), {"image": TREE[1]["text"]}),
        (torch.arange(6.0).double(), TREE[1]),
        (torch.arange(6.0).view(2, 3), TREE[1]),
        (torch.arange(6.0).flip(0), TREE[1]),
        (torch.arange(6.0), {"text": [torch.ones(2, 3), None, 1, 1, "a", 0.5]}),
        (*TREE, None),
    ],
)
def test_any_difference_counts(other):
    assert fingerprint(other) != fingerprint(TREE)


def test_other_things_are_refused():
    with pytest.raises(ValueError, match="found function"):
        fingerprint({"patch": test_other_things_are_refused})
