"""Reciprocal rank fusion, by the formula."""

from __future__ import annotations

import pytest

from personalq.checkin.retrieval.fuse import fuse, ranks


def test_ranks_share_ties_and_skip_what_was_not_retrieved() -> None:
    assert ranks([0.5, None, 2.0, 0.5, 0.1]) == [2, None, 1, 2, 4]


def test_formula() -> None:
    assert fuse([1, 2, None], [3, None, None]) == pytest.approx([1 / 61 + 1 / 63, 1 / 62, 0.0])
    assert fuse([1], k0=0) == [1.0]


def test_agreement_beats_one_first_place() -> None:
    both_second, only_first, *_ = fuse([2, 1, 3], [2, 9, 1])
    assert both_second > only_first
