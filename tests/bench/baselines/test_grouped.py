"""Test groups of channels or rows with similar ranges."""

from __future__ import annotations

import pytest
import torch

from personalq.bench.baselines.grouped import Grouped
from personalq.bench.baselines.kmeans import kmeans


def test_two_clear_clusters():
    points = torch.tensor([[0.0, 1.0], [10.0, 11.0], [0.1, 1.1], [10.2, 10.9], [0.0, 1.2]])
    labels = kmeans(points, 2)
    assert labels[0] == labels[2] == labels[4] != labels[1] == labels[3]


def test_more_clusters_than_points():
    assert len(set(kmeans(torch.tensor([[0.0], [5.0]]), 4).tolist())) == 2


def test_lloyd_moves_the_start():
    """The start picks 0, 100 and 61 as centres; the mean of 60 and 61 is where the third ends."""
    labels = kmeans(torch.tensor([[0.0], [1.0], [100.0], [60.0], [61.0], [59.0]]), 3)
    assert labels[0] == labels[1]
    assert labels[3] == labels[4] == labels[5]
    assert len(set(labels.tolist())) == 3


@pytest.mark.parametrize("of_channels", [True, False])
def test_each_group_has_the_range_of_its_members(of_channels):
    """Two of four reach 3, two reach 300; with 2 bits a group has the multiples of 1, or of 100."""
    calibration = torch.tensor([[[3.0, 300.0, 1.0, 200.0], [0.0, 0.0, 3.0, 300.0]]]).expand(1, 2, 4)
    x = torch.tensor([[[1.2, 120.0, 2.0, 9.0], [9.0, 999.0, 0.0, 100.0]]])
    expected = torch.tensor([[[1.0, 100.0, 2.0, 0.0], [3.0, 300.0, 0.0, 100.0]]])
    if not of_channels:
        calibration, x, expected = (tensor.mT for tensor in (calibration, x, expected))
    quantizer = Grouped(2, 2)
    quantizer.see(calibration, 0)
    quantizer.finish()
    torch.testing.assert_close(quantizer(x, 0), expected)


def test_ranges_are_of_all_calibration_data():
    quantizer = Grouped(2, 1)
    for high in (1.0, 3.0, 2.0):
        quantizer.see(torch.tensor([[[0.0, high]]]), 0)
    quantizer.finish()
    torch.testing.assert_close(
        quantizer(torch.tensor([[[0.9, 9.0]]]), 0), torch.tensor([[[1.0, 3.0]]])
    )


def test_another_number_of_rows_is_refused():
    quantizer = Grouped(8, 2)
    quantizer.see(torch.randn(1, 4, 8), 0)
    with pytest.raises(ValueError, match="4 rows here and this call has 5"):
        quantizer.see(torch.randn(1, 5, 8), 0)
    quantizer.finish()
    with pytest.raises(ValueError, match="4 rows here and this call has 6"):
        quantizer(torch.randn(1, 6, 8), 0)
